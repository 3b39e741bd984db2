import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { type ApiResource, preferredResources } from "../../pkg/client/discovery-documents.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** Discovery is asked again for an unknown kind, but not more often than this: custom resources come and go. */
const REDISCOVER_MS = 30_000;

/** The scale subresource of any kind. */
interface Scale extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

/** The owner of the pods cannot say how many it wants, and a retry would not help. */
export class ScaleError extends Error {
  readonly code: string = "Scale";
  override readonly name = "ScaleError";
}

/** The API does not have the kind, until somebody installs it. */
export class UnknownKindError extends ScaleError {
  override readonly code = "UnknownKind";
}

/** What scales are asked with. */
export interface ScaleClient extends Pick<ClientSet, "dynamic"> {
  readonly discovery: Pick<ClientSet["discovery"], "surface" | "invalidate">;
}

/** Asks the server how many pods an owner of any kind wants. */
export class Scales {
  readonly #client: ScaleClient;
  readonly #clock: Clock;
  #discoveredMs: number | undefined;

  constructor(client: ScaleClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined when the owner is gone. Throws an UnknownKindError, or a ScaleError for a kind without a scale. */
  async scaleOf(owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const resource = await this.#resourceOf(owner, signal);
    if (resource === undefined) {
      throw new UnknownKindError(
        `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
      );
    }
    let scale: Scale;
    try {
      const ref = { namespace, name: owner.name };
      scale = await this.#client.dynamic(resource).getSubresource<Scale>(ref, "scale", signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (resource.subresources.includes("scale")) return undefined;
      throw new ScaleError(`${groupResource(resource)} does not implement the scale subresource`, {
        cause: error,
      });
    }
    return scale.metadata.uid === owner.uid ? (scale.spec?.replicas ?? 0) : undefined;
  }

  async #resourceOf(owner: OwnerReference, signal: AbortSignal): Promise<ApiResource | undefined> {
    const known = await this.#find(owner, signal);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined || nowMs - (this.#discoveredMs ?? -Infinity) < REDISCOVER_MS) return known;
    this.#discoveredMs = nowMs;
    this.#client.discovery.invalidate();
    return this.#find(owner, signal);
  }

  /**
   * The resource in the version that the server prefers: all versions have the same scale. Where a version of the group
   * could not be discovered, nobody knows whether it has the kind, and the failure is thrown.
   */
  async #find({ apiVersion, kind }: OwnerReference, signal: AbortSignal): Promise<ApiResource | undefined> {
    const { group } = parseApiVersion(apiVersion);
    const surface = await this.#client.discovery.surface(signal);
    const found = preferredResources(surface).find((each) => each.group === group && each.kind === kind);
    if (found !== undefined) return found;
    for (const [version, failure] of surface.failures)
      if (parseApiVersion(version).group === group) throw failure;
    return undefined;
  }
}
