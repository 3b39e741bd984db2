import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { revisionOf } from "./identity.ts";
import { deletion, isTerminating, isUnavailable, type PodStep } from "./replicas.ts";
import { maxUnavailable, partition } from "./stateful-set.ts";

export interface RollingView {
  readonly set: StatefulSet;
  /** Every place with its pod; undefined for one that is being created. */
  readonly places: readonly (Pod | undefined)[];
  /** The revision that the pods from the partition on shall have. */
  readonly updateRevision: string;
}

/**
 * Which outdated pods go now, so that others of the update revision take their places: from the last place to the
 * partition, one at a time, each when all after it are available. A pod that never becomes available holds up the
 * rest: an outdated one too, until somebody deletes it.
 */
export function decideRolling(view: RollingView, nowMs: number): readonly PodStep[] {
  const { set, places, updateRevision } = view;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  for (let place = places.length - 1; place >= partition(set); place--) {
    const pod = places[place];
    if (pod === undefined) return [];
    if (isOutdated(pod, updateRevision)) return [outdated(pod)];
    if (isUnavailable(set, pod, nowMs)) return [];
  }
  return [];
}

/** The same with the gate MaxUnavailableStatefulSet: as many at a time as may be unavailable in all. */
export function decideRollingWithin(view: RollingView, nowMs: number): readonly PodStep[] {
  const { set, places, updateRevision } = view;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  const allowed = maxUnavailable(set) - unavailableReplicas(set, places, nowMs);
  if (allowed <= 0) return [];
  return places
    .slice(partition(set))
    .filter((pod) => pod !== undefined)
    .filter((pod) => isOutdated(pod, updateRevision))
    .toReversed()
    .slice(0, allowed)
    .map(outdated);
}

export function unavailableReplicas(
  set: StatefulSet,
  places: readonly (Pod | undefined)[],
  nowMs: number,
): number {
  return places.filter((pod) => pod === undefined || isUnavailable(set, pod, nowMs)).length;
}

function isOutdated(pod: Pod, updateRevision: string): boolean {
  return revisionOf(pod) !== updateRevision && !isTerminating(pod);
}

function outdated(pod: Pod): PodStep {
  return deletion(pod, "it is outdated");
}
