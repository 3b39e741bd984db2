import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { LARGEST_ORDINAL, ordinalOf } from "./identity.ts";
import { desiredReplicas, startOrdinal } from "./stateful-set.ts";
import type { PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

/**
 * The places that a StatefulSet asks for, and the pods that have one. A StatefulSet may ask for 2^31 - 1 places, so
 * nothing loops over places: loops are over pods.
 */
export interface Places {
  /** The ordinal of the first. */
  readonly first: number;
  readonly count: number;
  /** By place, counted from 0, and in order of their places. */
  readonly pods: ReadonlyMap<number, PodOfSet>;
}

export function placesOf(set: Stored<StatefulSet>, pods: readonly PodOfSet[]): Places {
  const first = startOrdinal(set);
  // A pod with a larger ordinal would not be recognized as one of the StatefulSet.
  const count = Math.min(desiredReplicas(set), LARGEST_ORDINAL - first + 1);
  const placeOf = (pod: PodOfSet): number => (ordinalOf(pod) ?? -1) - first;
  const byPlace = new Map<number, PodOfSet>();
  for (const pod of pods.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const place = placeOf(pod);
    if (place >= 0 && place < count) byPlace.set(place, pod);
  }
  return { first, count, pods: byPlace };
}

export function countMissing({ count, pods }: Places): number {
  return count - pods.size;
}
