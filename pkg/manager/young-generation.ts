import { PerformanceObserver } from "node:perf_hooks";
import v8 from "node:v8";

/** Above this the two halves have grown to 8 MB each, as `--max-semi-space-size=8` lets them. */
const ENOUGH_BYTES = 9 << 20;

/** V8 multiplies the young generation by this when it has become too small: 2 unless it is told otherwise. */
type GrowthFactor = 1 | 2;

export interface YoungGeneration {
  bytes(): number;
  setGrowthFactor(factor: GrowthFactor): void;
  onCollection(callback: () => void): void;
}

/**
 * Lets the young generation grow no further than it pays. V8 would let it grow to 48 MB while caches fill; but objects
 * here live either for one sync or for long. Its limit can only be given to Node.js when that starts; but the factor by
 * which it grows is read each time.
 */
export function limitYoungGeneration(generation: YoungGeneration): void {
  let factor: GrowthFactor = 2;
  generation.onCollection(() => {
    const wanted = generation.bytes() < ENOUGH_BYTES ? 2 : 1;
    if (wanted === factor) return;
    factor = wanted;
    generation.setGrowthFactor(factor);
  });
}

export const processYoungGeneration: YoungGeneration = {
  bytes: () => {
    const space = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    return space?.space_size ?? 0;
  },
  setGrowthFactor: (factor) => v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`),
  onCollection: (callback) => new PerformanceObserver(callback).observe({ entryTypes: ["gc"] }),
};
