import type { ObjectRef } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { Resource } from "../api/resource.ts";
import type { Scale } from "../api/types/autoscaling-v1.gen.ts";
import type { ClientSet } from "./client-set.ts";
import type { DeleteOptions } from "./resource-client.ts";
import { subresourceRequest } from "./resource-requests.ts";

/** How many replicas there are to be, and are; of whatever has the subresource, custom resources too. */
export async function scaleOf(
  clients: Pick<ClientSet, "dynamic">,
  resource: Resource,
  ref: ObjectRef,
  signal?: AbortSignal,
): Promise<Scale> {
  return clients.dynamic(resource).getSubresource<Scale>(ref, "scale", signal);
}

export interface ScaleTo extends ObjectRef {
  readonly replicas: number;
  /** Only if there are to be so many at present; otherwise the server answers with a conflict. */
  readonly currentReplicas?: number;
}

/** Asks for so many replicas, and does not wait for them. */
export async function scale(
  clients: Pick<ClientSet, "dynamic">,
  resource: Resource,
  { replicas, currentReplicas, ...ref }: ScaleTo,
  signal?: AbortSignal,
): Promise<Scale> {
  const client = clients.dynamic(resource);
  if (currentReplicas === undefined) {
    const body = { spec: { replicas } };
    return client.patchSubresource<Scale>(ref, "scale", { type: "merge", body }, signal);
  }
  const current = await client.getSubresource<Scale>(ref, "scale", signal);
  const wanted: Scale = { ...current, spec: { ...current.spec, replicas } };
  if ((current.spec?.replicas ?? 0) !== currentReplicas) {
    throw new UnexpectedScaleError(ref, currentReplicas, current.spec?.replicas ?? 0);
  }
  // With its version: whoever was faster wins.
  return client.updateSubresource<Scale>(ref, "scale", wanted, signal);
}

/** The object is scaled otherwise than was expected. */
export class UnexpectedScaleError extends Error {
  readonly code = "UnexpectedScale";
  readonly replicas: number;
  constructor({ name }: ObjectRef, expected: number, replicas: number) {
    super(`${name} is to have ${replicas} replicas, and not ${expected}`);
    this.name = "UnexpectedScaleError";
    this.replicas = replicas;
  }
}

/**
 * Deletes a pod if no disruption budget stands against that; otherwise it rejects with an ApiError of which
 * `isTooManyRequests` is true, and `retryAfterMs` says when to try again.
 */
export async function evict(
  { rest }: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  deleteOptions: DeleteOptions = {},
  signal?: AbortSignal,
): Promise<void> {
  const { dryRun, ...options } = deleteOptions;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: pod.name, ...(pod.namespace === undefined ? {} : { namespace: pod.namespace }) },
    deleteOptions: { ...options, ...(dryRun === true ? { dryRun: ["All"] } : {}) },
  };
  const request = subresourceRequest("POST", resources.pods, { ...pod, subresource: "eviction" }, body);
  await rest.json({ ...request, once: true }, signal);
}
