import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { LARGEST_ORDINAL, ordinalOf } from "./identity.ts";
import { desiredReplicas, startOrdinal } from "./stateful-set.ts";

/**
 * The places that a StatefulSet asks for, and the pods that have one. A StatefulSet may ask for 2^31 - 1 places, so
 * nothing loops over places: loops are over pods.
 */
export interface Places {
  /** The ordinal of the first. */
  readonly first: number;
  readonly count: number;
  /** By place, counted from 0, and in order of their places. */
  readonly pods: ReadonlyMap<number, Pod>;
}

export function placesOf(set: StatefulSet, pods: readonly Pod[]): Places {
  const first = startOrdinal(set);
  // A pod with a larger ordinal would not be recognized as one of the StatefulSet.
  const count = Math.min(desiredReplicas(set), LARGEST_ORDINAL - first + 1);
  const taken = pods
    .map((pod): [number, Pod] => [(ordinalOf(pod) ?? -1) - first, pod])
    .filter(([place]) => place >= 0 && place < count)
    .toSorted(([a], [b]) => a - b);
  return { first, count, pods: new Map(taken) };
}

export function countMissing({ count, pods }: Places): number {
  return count - pods.size;
}
