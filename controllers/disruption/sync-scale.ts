import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { KindLookup, type LookupClient } from "../../pkg/client/kind-lookup.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

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
export interface ScaleClient extends Pick<ClientSet, "dynamic">, LookupClient {}

/** Asks the server how many pods an owner of any kind wants. */
export class Scales {
  readonly #client: ScaleClient;
  readonly #kinds: KindLookup;

  constructor(client: ScaleClient, clock: Clock) {
    this.#client = client;
    this.#kinds = new KindLookup(client, clock);
  }

  /** Undefined when the owner is gone. Throws an UnknownKindError, or a ScaleError for a kind without a scale. */
  async scaleOf(owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const { group } = parseApiVersion(owner.apiVersion);
    // All versions have the same scale.
    const kind = { group, kind: owner.kind };
    const resource = await this.#kinds.find(kind, signal);
    if (resource === undefined) {
      throw new UnknownKindError(
        `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
      );
    }
    let scale: Scale;
    const ref = { namespace, name: owner.name };
    const scaleAt = async (at: ApiResource): Promise<Scale> =>
      this.#client.dynamic(at).getSubresource<Scale>(ref, "scale", signal);
    try {
      scale = (await this.#kinds.ask(kind, resource, scaleAt, signal)).answer;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (resource.subresources.includes("scale")) return undefined;
      throw new ScaleError(`${groupResource(resource)} does not implement the scale subresource`, {
        cause: error,
      });
    }
    return scale.metadata.uid === owner.uid ? (scale.spec?.replicas ?? 0) : undefined;
  }
}
