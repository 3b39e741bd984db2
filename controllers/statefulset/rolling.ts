import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { revisionOf } from "./identity.ts";
import { countMissing, type Places } from "./places.ts";
import { deletion, isTerminating, isUnavailable, type OldPodStep } from "./replicas.ts";
import { maxUnavailable, partition } from "./stateful-set.ts";
import type { PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface RollingView {
  readonly set: Stored<StatefulSet>;
  readonly places: Places;
  /** The revision that the pods from the partition on shall have. */
  readonly updateRevision: string;
}

/**
 * Which outdated pods go now, so that others of the update revision take their places: from the last place to the
 * partition, one at a time, each when all after it are available. A pod that never becomes available holds up the
 * rest: an outdated one too, until somebody deletes it.
 */
export function decideRolling(view: RollingView, nowMs: number): readonly OldPodStep[] {
  const { set, places, updateRevision } = view;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  for (let place = places.count - 1; place >= partition(set); place--) {
    const pod = places.pods.get(place);
    // The pod is being created.
    if (pod === undefined) return [];
    if (isOutdated(pod, updateRevision)) return [outdated(pod)];
    if (isUnavailable(set, pod, nowMs)) return [];
  }
  return [];
}

/** As decideRolling, with the gate MaxUnavailableStatefulSet: as many at a time as may be unavailable in total. */
export function decideRollingWithin(view: RollingView, nowMs: number): readonly OldPodStep[] {
  const { set, places, updateRevision } = view;
  if (set.spec?.updateStrategy?.type === "OnDelete") return [];
  const allowed = maxUnavailable(set) - unavailableReplicas(set, places, nowMs);
  if (allowed <= 0) return [];
  return [...places.pods]
    .filter(([place, pod]) => place >= partition(set) && isOutdated(pod, updateRevision))
    .toReversed()
    .slice(0, allowed)
    .map(([, pod]) => outdated(pod));
}

/** Missing pods count as unavailable. */
export function unavailableReplicas(set: Stored<StatefulSet>, places: Places, nowMs: number): number {
  const unavailable = [...places.pods.values()].filter((pod) => isUnavailable(set, pod, nowMs));
  return countMissing(places) + unavailable.length;
}

function isOutdated(pod: PodOfSet, updateRevision: string): boolean {
  return revisionOf(pod) !== updateRevision && !isTerminating(pod);
}

function outdated(pod: PodOfSet): OldPodStep {
  return deletion(pod, "it is outdated");
}
