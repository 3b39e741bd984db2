import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** A kind that is not known is asked for again, but not more often than this: custom resources come and go. */
const REDISCOVER_MS = 30_000;

/** What the API gives as the scale of anything that can be scaled. */
interface Scale extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

/** The pods' owner cannot say how many it wants, whatever is tried. */
export class ScaleError extends Error {
  readonly code: string = "Scale";
  override readonly name = "ScaleError";
}

/** The API has no such kind, until somebody installs it. */
export class UnknownKindError extends ScaleError {
  override readonly code = "UnknownKind";
}

/** Asks the server how many pods owners of any kind want. */
export class Scales {
  readonly #client: Pick<ClientSet, "discovery" | "dynamic">;
  readonly #clock: Clock;
  #discoveredMs: number | undefined;

  constructor(client: Pick<ClientSet, "discovery" | "dynamic">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined when it is gone. Throws an UnknownKindError, and a ScaleError when the kind knows no scale. */
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

  /** In the version that the server prefers: the scale is the same in all. */
  async #find({ apiVersion, kind }: OwnerReference, signal: AbortSignal): Promise<ApiResource | undefined> {
    const { group } = parseApiVersion(apiVersion);
    const resources = await this.#client.discovery.preferredResources(signal);
    return resources.find((resource) => resource.group === group && resource.kind === kind);
  }
}
