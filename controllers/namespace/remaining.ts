import type { ObjectMeta } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** How long finalizers are given before their objects are looked at again. */
const FINALIZER_SECONDS = 15;

/** What is left of one resource after its objects were deleted. */
export interface Remainder {
  readonly resource: Resource;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** When it is worth to look again; 0: nothing is known that could take time. */
  readonly estimateSeconds: number;
  /** Objects are left although nothing seems to hold them. */
  readonly unexpected: boolean;
}

/** `estimateSeconds` is how long the objects may take to end by themselves. */
export function remainderOf(
  resource: Resource,
  objects: readonly { readonly metadata: Pick<ObjectMeta, "name" | "finalizers"> }[],
  estimateSeconds: number,
): Remainder {
  const finalizers = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  const isEmpty = objects.length === 0;
  const held = finalizers.size > 0 ? FINALIZER_SECONDS : 0;
  const seconds = isEmpty ? 0 : estimateSeconds || held;
  return {
    resource,
    count: objects.length,
    finalizers,
    estimateSeconds: seconds,
    unexpected: !isEmpty && seconds === 0,
  };
}

/** How many objects each finalizer holds, over all resources. */
export function finalizerTotals(remainders: readonly Remainder[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { finalizers } of remainders) {
    for (const [name, count] of finalizers) totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return totals;
}

/** The longest time that a pod which has not finished may take to end. */
export function gracePeriodSeconds({ status, spec }: Pod): number {
  const isFinished = status?.phase === "Succeeded" || status?.phase === "Failed";
  return isFinished ? 0 : Number(spec?.terminationGracePeriodSeconds ?? 0);
}

/** An estimate counts from the deletion of the namespace: once it is over, it was wrong and says nothing. */
export function unexpiredEstimate(estimateSeconds: number, deletedAtMs: number, nowMs: number): number {
  return nowMs - deletedAtMs >= estimateSeconds * 1_000 ? 0 : estimateSeconds;
}

/** When to look again at a namespace with something left: half-way through the estimate. */
export function recheckAfterMs(estimateSeconds: number): number {
  return (Math.floor(estimateSeconds / 2) + 1) * 1_000;
}
