import { messageOf } from "../../pkg/api/errors.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import type { ObjectRef, Stored } from "../../pkg/api/object.ts";
import type { Scale } from "../../pkg/api/types/autoscaling-v1.gen.ts";
import type { HorizontalPodAutoscaler } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { isConflict, isUnreachable } from "../../pkg/client/errors.ts";
import { goMessageOf } from "../../pkg/client/go-message.ts";
import type { KindLookup } from "../../pkg/client/kind-lookup.ts";
import { scaleOf } from "../../pkg/client/scale.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { noSuchKind } from "./sync-fetch.ts";

/** As often is a scale written that others change as well. */
const MOST_TRIES = 5;
const BETWEEN_TRIES_MS = 10;

export type TargetFault = "reference" | "kind" | "scale";

/** The scale of the target cannot be had. */
export class TargetError extends Error {
  readonly code = "Target";
  override readonly name = "TargetError";
  readonly fault: TargetFault;

  constructor(message: string, fault: TargetFault, options?: { readonly cause: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}

/** What an autoscaler scales, as it was read. */
export interface Target extends ObjectRef {
  readonly resource: ApiResource;
  readonly scale: Scale;
}

/** The scale subresources of what autoscalers name, of any kind. */
export class Targets {
  readonly #client: Pick<ClientSet, "dynamic">;
  readonly #kinds: Pick<KindLookup, "find" | "ask">;
  readonly #clock: Clock;

  constructor(client: Pick<ClientSet, "dynamic">, kinds: Pick<KindLookup, "find" | "ask">, clock: Clock) {
    this.#client = client;
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** Throws a TargetError, or what stands in the way of all requests. */
  async read({ metadata, spec }: Stored<HorizontalPodAutoscaler>, signal: AbortSignal): Promise<Target> {
    const { apiVersion = "", kind, name } = spec.scaleTargetRef;
    const { namespace } = metadata;
    if (apiVersion.split("/").length > 2)
      throw new TargetError(`unexpected GroupVersion string: ${apiVersion}`, "reference");
    // Without a version it is a group of its own: "apps" is a version of the core group.
    const { group } = parseApiVersion(apiVersion);
    const found = await this.#find(group, kind, signal);
    const scaleAt = async (resource: ApiResource): Promise<Scale> =>
      this.#scale(resource, { namespace, name }, signal);
    try {
      const { resource, answer } = await this.#kinds.ask({ group, kind }, found, scaleAt, signal);
      return { resource, namespace, name, scale: answer };
    } catch (error) {
      signal.throwIfAborted();
      if (isUnreachable(error)) throw error;
      throw new TargetError(goMessageOf(error, { ...found, name }), "scale", { cause: error });
    }
  }

  /**
   * Asks for so many replicas. Of a conflict the scale is read again and asked for once more; but what has taken the
   * target's name meanwhile is another one, of which nothing was measured.
   */
  async write({ resource, scale, ...ref }: Target, replicas: number, signal: AbortSignal): Promise<void> {
    const client = this.#client.dynamic(resource);
    let live = scale;
    for (let tries = 1; ; tries++) {
      try {
        const wanted = { ...live, spec: { ...live.spec, replicas } };
        await client.updateSubresource(ref, "scale", wanted, signal);
        return;
      } catch (error) {
        if (!isConflict(error) || tries === MOST_TRIES) throw error;
        await sleep(this.#clock, BETWEEN_TRIES_MS, signal);
        const again = await this.#scale(resource, ref, signal);
        if (again.metadata.uid !== scale.metadata.uid) throw error;
        live = again;
      }
    }
  }

  async #find(group: string, kind: string, signal: AbortSignal): Promise<ApiResource> {
    let resource: ApiResource | undefined;
    try {
      resource = await this.#kinds.find({ group, kind }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isUnreachable(error)) throw error;
      throw new TargetError(messageOf(error), "kind", { cause: error });
    }
    if (resource !== undefined) return resource;
    throw new TargetError(noSuchKind(group, kind), "kind");
  }

  async #scale(resource: ApiResource, ref: ObjectRef, signal: AbortSignal): Promise<Scale> {
    return scaleOf(this.#client, resource, ref, signal);
  }
}
