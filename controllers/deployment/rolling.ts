import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import {
  activeOf,
  allOf,
  availableOf,
  byAge,
  type Revisions,
  sizeOf,
  sum,
  totalSize,
} from "./replica-sets.ts";
import { type ScaleStep, scaleStep } from "./scaling.ts";
import { desiredReplicas, isRollingUpdate, maxSurge, maxUnavailable } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

/**
 * The next step of a rolling update: first let the current revision grow as far as surge allows; when it cannot, take
 * pods from the old ones as far as availability allows. One direction at a time: the other waits for the next sync,
 * which sees what came of this one.
 */
export function decideRolling(deployment: Stored<Deployment>, revisions: Revisions): readonly ScaleStep[] {
  const up = decideCurrentSize(deployment, revisions);
  return up === undefined ? decideOldSizes(deployment, revisions) : [up];
}

/** The size of the current ReplicaSet, or undefined when it stays. */
function decideCurrentSize(deployment: Stored<Deployment>, revisions: Revisions): ScaleStep | undefined {
  const { current } = revisions;
  if (current === undefined) return undefined;
  const desired = desiredReplicas(deployment);
  if (sizeOf(current) > desired) return scaleStep(current, desired, "it has more pods than desired");
  const size = currentSize(deployment, allOf(revisions), sizeOf(current));
  return size === sizeOf(current) ? undefined : scaleStep(current, size, "surge leaves room for more pods");
}

/**
 * How many pods a current ReplicaSet that has `size` of them may have. E.g. 10 desired, maxSurge 3 and 10 old pods:
 * it may have 3.
 */
export function currentSize(
  deployment: Stored<Deployment>,
  all: readonly Stored<ReplicaSet>[],
  size: number,
): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - totalSize(all);
  return room <= 0 ? size : size + Math.min(room, desired - size);
}

/**
 * Pods of old revisions go when enough others are available. Two reasons let one go:
 *  - it is not available itself, so that it cannot be missed;
 *  - more pods are available than must be.
 *
 * Pods of the current revision that are not available count as if they were gone. E.g. 10 desired, maxUnavailable 2,
 * maxSurge 3, old 8, current 5 of which none becomes available: 13 − 8 − 5 = 0 may go, even if an old pod becomes
 * unavailable. When the user then undoes it (8 are current again, with 1 unavailable, and 5 old): 13 − 8 − 1 = 4 may
 * go. When instead a third revision starts at 0: 13 − 8 − 0 = 5 may go, which makes the room for it.
 */
export function decideOldSizes(deployment: Stored<Deployment>, revisions: Revisions): readonly ScaleStep[] {
  const { current } = revisions;
  const old = activeOf(revisions.old).toSorted(byAge);
  if (current === undefined || old.length === 0) return [];
  const mustBeAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const currentUnavailable = sizeOf(current) - availableAtSize(current);
  const mayGo = totalSize(allOf(revisions)) - mustBeAvailable - currentUnavailable;
  if (mayGo <= 0) return [];

  const sizes = new Map(old.map((replicaSet) => [replicaSet, sizeOf(replicaSet)]));
  const reasons = new Map<Stored<ReplicaSet>, string>();
  if (takeUnavailable(sizes, reasons, mayGo)) {
    const available = sum([...old, current], availableAtSize);
    takeAvailable(sizes, reasons, available - mustBeAvailable);
  }
  return old.flatMap((replicaSet) => {
    const size = sizes.get(replicaSet) ?? 0;
    if (size === sizeOf(replicaSet)) return [];
    return [scaleStep(replicaSet, size, reasons.get(replicaSet) ?? "")];
  });
}

/**
 * Pods that stay available once a ReplicaSet has its size. E.g. 6 desired, 5 must be available, and the user's scaling
 * down has just made 3 of 6 in each of two ReplicaSets: while the current one still reports 6 available, 9 seem to be,
 * so that all 3 of the old one could go.
 * upstream: rolling.go#reconcileOldReplicaSets takes the report as it is, and lets them go.
 */
function availableAtSize(replicaSet: Stored<ReplicaSet>): number {
  return Math.min(availableOf(replicaSet), sizeOf(replicaSet));
}

type Sizes = Map<Stored<ReplicaSet>, number>;

/**
 * False when an old ReplicaSet reports more available pods than it is to have: it has yet to act on an earlier step, and
 * its report would count pods as available that are about to go. E.g. 10 desired, 8 must be available; old 3, but still
 * reporting 5, current 6 available: 11 seem available where 9 will be, so that letting 3 go would leave 6.
 */
function takeUnavailable(sizes: Sizes, reasons: Map<Stored<ReplicaSet>, string>, atMost: number): boolean {
  let left = atMost;
  for (const [replicaSet, size] of sizes) {
    if (left <= 0) break;
    const unavailable = Math.min(left, size - availableOf(replicaSet));
    if (unavailable < 0) return false;
    if (unavailable === 0) continue;
    sizes.set(replicaSet, size - unavailable);
    reasons.set(replicaSet, `${unavailable} of its pods are not available anyway`);
    left -= unavailable;
  }
  return true;
}

function takeAvailable(sizes: Sizes, reasons: Map<Stored<ReplicaSet>, string>, atMost: number): void {
  let left = atMost;
  for (const [replicaSet, size] of sizes) {
    const going = Math.min(left, size);
    if (going <= 0) continue;
    sizes.set(replicaSet, size - going);
    const before = reasons.get(replicaSet);
    const reason = `${going} more are available than must be`;
    reasons.set(replicaSet, before === undefined ? reason : `${before}, and ${reason}`);
    left -= going;
  }
}
