import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { countAnnotation, DESIRED_REPLICAS, MAX_REPLICAS } from "./annotations.ts";
import {
  activeOf,
  allOf,
  availableOf,
  byAge,
  bySizeThenNew,
  bySizeThenOld,
  type Revisions,
  sizeOf,
  totalSize,
} from "./replica-sets.ts";
import { desiredReplicas, isRollingUpdate, maxSurge } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** One ReplicaSet and the size that it is to have. */
export interface ScaleStep {
  readonly replicaSet: Stored<ReplicaSet>;
  readonly size: number;
  readonly reason: string;
  /** Brings the annotations about the Deployment's size up to date, even where the ReplicaSet keeps its own size. */
  readonly refreshAnnotations: boolean;
}

export function scaleStep(replicaSet: Stored<ReplicaSet>, size: number, reason: string): ScaleStep {
  return { replicaSet, size, reason, refreshAnnotations: false };
}

/**
 * Whether the user has changed the number of replicas since the ReplicaSets were last scaled.
 *
 * With the strategy Recreate several revisions have pods when the strategy was another one before: recreating sorts that
 * out. upstream: sync.go#isScalingEvent is true there as well, and as scaling gives such a Deployment no sizes, it stays
 * as it is for ever.
 */
export function isScalingEvent(deployment: Stored<Deployment>, revisions: Revisions): boolean {
  const active = activeOf(allOf(revisions));
  if (active.length > 1 && !isRollingUpdate(deployment)) return false;
  return active.some((replicaSet) => {
    const desired = countAnnotation(replicaSet, DESIRED_REPLICAS);
    return desired !== undefined && desired !== desiredReplicas(deployment);
  });
}

/**
 * Sizes after the user has scaled the Deployment, or while it is paused. With one ReplicaSet that has pods, that one
 * takes it all; in the middle of a rollout each gets its share, so that the mixture of revisions stays what it was.
 */
export function decideScaling(deployment: Stored<Deployment>, revisions: Revisions): readonly ScaleStep[] {
  const desired = desiredReplicas(deployment);
  const only = activeOrLatest(revisions);
  if (only !== undefined) {
    if (sizeOf(only) !== desired) return [scaleStep(only, desired, "it is the only revision with pods")];
    // The annotations of one that was adopted, or that somebody resized, name another size of the Deployment. As long as
    // they do, this is a scaling event. upstream: sync.go#scale leaves them, so that no rollout ever begins.
    if (!isScalingEvent(deployment, revisions)) return [];
    return [{ replicaSet: only, size: desired, reason: "it has the size already", refreshAnnotations: true }];
  }
  if (isSaturated(deployment, revisions.current)) {
    return activeOf(revisions.old).map((old) => scaleStep(old, 0, "the current revision has all the pods"));
  }
  return isRollingUpdate(deployment) ? proportionalSteps(deployment, revisions) : [];
}

/** The only ReplicaSet with pods; without any, the current one or else the newest. Undefined when several have pods. */
export function activeOrLatest(revisions: Revisions): Stored<ReplicaSet> | undefined {
  const active = activeOf(allOf(revisions));
  if (active.length > 1) return undefined;
  return active[0] ?? revisions.current ?? revisions.old.toSorted(byAge).at(-1);
}

/** Whether the current ReplicaSet has all pods of the Deployment, and all are available. */
export function isSaturated(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
): boolean {
  if (current === undefined) return false;
  const desired = desiredReplicas(deployment);
  return (
    sizeOf(current) === desired &&
    countAnnotation(current, DESIRED_REPLICAS) === desired &&
    availableOf(current) === desired
  );
}

/**
 * E.g. sizes 10 and 5 of a Deployment that goes from 15 to 24 replicas: 9 are added, in proportion 2 to 1, which gives
 * 16 and 8. What rounding leaves goes to the largest.
 */
function proportionalSteps(deployment: Stored<Deployment>, revisions: Revisions): readonly ScaleStep[] {
  const active = activeOf(allOf(revisions));
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  // Growing begins with the new revisions, shrinking with the old ones.
  const sorted = toAdd === 0 ? active : active.toSorted(toAdd > 0 ? bySizeThenNew : bySizeThenOld);
  let added = 0;
  const sizes = sorted.map((replicaSet) => {
    const share = shareOf(replicaSet, deployment, toAdd, added);
    added += share;
    return sizeOf(replicaSet) + share;
  });
  return sorted.map((replicaSet, index) => ({
    replicaSet,
    size: Math.max(0, (sizes[index] ?? 0) + (index === 0 ? toAdd - added : 0)),
    reason: `${Math.abs(toAdd)} pods are ${toAdd < 0 ? "taken from" : "shared among"} all revisions with pods`,
    refreshAnnotations: true,
  }));
}

/** How much of `toAdd` this ReplicaSet gets after `added` has been given to others; negative when shrinking. */
export function shareOf(
  replicaSet: Stored<ReplicaSet>,
  deployment: Stored<Deployment>,
  toAdd: number,
  added: number,
): number {
  const left = toAdd - added;
  if (sizeOf(replicaSet) === 0 || toAdd === 0 || left === 0) return 0;
  const share = fractionOf(replicaSet, deployment);
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

function fractionOf(replicaSet: Stored<ReplicaSet>, deployment: Stored<Deployment>): number {
  const size = sizeOf(replicaSet);
  const desired = desiredReplicas(deployment);
  if (desired === 0) return -size;
  // The annotation has the Deployment's size from before it was scaled. Without it, the present size is the best guess.
  const wholeBefore = countAnnotation(replicaSet, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (wholeBefore === 0) return 0;
  return Math.round((size * (desired + maxSurge(deployment))) / wholeBefore) - size;
}
