import { largest } from "../../pkg/api/extremes.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CachedPod } from "./replicas.ts";

/**
 * For each ready pod that was chosen for deletion: how many times as old it is as the youngest ready pod. Ratios far
 * above 2 mean that scaling down takes the old ones, which the choice by age buckets is there to avoid.
 */
export function deletionAgeRatios(
  active: readonly CachedPod[],
  chosen: readonly CachedPod[],
  nowMs: number,
): readonly number[] {
  const ready = active.filter(isPodReady);
  const youngestMs = largest(ready.map(createdMs)) ?? -Infinity;
  // upstream: pkg/controller/replicaset/replica_set.go#reportSortingDeletionAgeRatioMetric divides whole milliseconds.
  const ageOfYoungest = Math.trunc(nowMs - youngestMs);
  if (!(ageOfYoungest > 0)) return [];
  return chosen
    .filter(isPodReady)
    .map((pod) => Math.trunc(Math.trunc(nowMs - createdMs(pod)) / ageOfYoungest));
}

function createdMs(pod: CachedPod): number {
  return parseTime(pod.metadata.creationTimestamp) ?? 0;
}
