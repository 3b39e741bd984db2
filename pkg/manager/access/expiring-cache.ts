import { LRUCache } from "lru-cache";
import type { Clock } from "../../clock/clock.ts";

/** Entries live for the `ttl` that they are set with, which must be above 0; the oldest go when there are too many. */
export function expiringCache<V extends object>(most: number, clock: Clock): LRUCache<string, V> {
  return new LRUCache({
    // Not `max`, for which all places are made at once.
    maxSize: most,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    // The cache takes a time of 0 for none, but the clock may start there.
    perf: { now: () => clock.monotonicMs() + 1 },
  });
}
