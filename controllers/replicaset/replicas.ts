import { leastOf } from "../../pkg/api/extremes.ts";
import type { Stored } from "../../pkg/api/object.ts";
import {
  byDeletionOrder,
  DELETION_COST_FIELD,
  RANKED_POD_FIELDS,
  type RankingOptions,
} from "../../pkg/api/pod-ranking.ts";
import { isPodActive } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
export const POD_FIELDS = [DELETION_COST_FIELD, ...RANKED_POD_FIELDS] as const;
export type CachedPod = Stored<Projected<Pod, typeof POD_FIELDS>>;

/** Pods created or deleted in one sync; the next one goes on once these have been seen. */
export const BURST_REPLICAS = 500;

/** How the number of pods changes, and why. */
export type ReplicasPlan =
  | { readonly action: "none"; readonly reason: string }
  | { readonly action: "create"; readonly count: number; readonly reason: string }
  | { readonly action: "delete"; readonly count: number; readonly reason: string };

export interface ReplicasView {
  readonly desired: number;
  /** Pods that are the owner's and neither finished nor being deleted. */
  readonly active: number;
  /** False while pods that were created or deleted earlier have yet to be seen. */
  readonly expectationsMet: boolean;
  readonly ownerIsLeaving: boolean;
}

/** E.g. desired 3, active 1 → create 2; desired 0, active 700 → delete 500. */
export function decideReplicas(view: ReplicasView): ReplicasPlan {
  if (!view.expectationsMet)
    return { action: "none", reason: "earlier creations or deletions have yet to be seen" };
  if (view.ownerIsLeaving) return { action: "none", reason: "it is being deleted" };
  const missing = view.desired - view.active;
  const count = Math.min(Math.abs(missing), BURST_REPLICAS);
  const reason = `${view.active} of ${view.desired} pods are active`;
  if (missing > 0) return { action: "create", count, reason };
  if (missing < 0) return { action: "delete", count, reason };
  return { action: "none", reason };
}

/**
 * The pods that can be missed most. Those on nodes with many pods of related owners (the same Deployment's ReplicaSets)
 * go before those that are alone on theirs, so that what stays is spread.
 */
export function choosePodsToDelete(
  active: readonly CachedPod[],
  related: readonly CachedPod[],
  count: number,
  options: RankingOptions<CachedPod>,
): readonly CachedPod[] {
  if (count >= active.length) return active;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName ?? "";
    if (isPodActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const ranked = active.map((pod) => ({ pod, rank: onNode.get(pod.spec?.nodeName ?? "") ?? 0 }));
  return leastOf(ranked, count, byDeletionOrder(options)).map(({ pod }) => pod);
}
