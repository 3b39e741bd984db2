import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";

/** What a start or the first lists leave behind is garbage by then. */
const DELAY_MS = 15_000;
/** Up to here a full collection takes some tens of milliseconds; in larger heaps the memory to win does not count. */
const MOST_HEAP_BYTES = 48 << 20;

export interface Heap {
  usedBytes(): number;
  /** Collects all garbage and gives free memory back to the machine. */
  shrink(): void;
}

/**
 * Gives memory back that only the start has used. V8 lets the young generation grow while programs are read and caches
 * filled, and keeps it at that size (15 MB here) for as long as little is allocated.
 */
export class SpareMemory {
  readonly #heap: Heap;
  readonly #clock: Clock;
  readonly #log: Logger;
  #timer: Timer | undefined;

  constructor(heap: Heap, clock: Clock, log: Logger) {
    this.#heap = heap;
    this.#clock = clock;
    this.#log = log;
  }

  /** Once, some time after the last call. */
  releaseLater(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(DELAY_MS, () => {
      const usedBytes = this.#heap.usedBytes();
      if (usedBytes > MOST_HEAP_BYTES) return;
      const startMs = this.#clock.monotonicMs();
      this.#heap.shrink();
      this.#log.verbose(2, "Memory of the start was given back", {
        durationMs: this.#clock.monotonicMs() - startMs,
        heapBytes: usedBytes,
      });
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

/** Of this process. The collector is reached through a flag that is for tests, but changes nothing else. */
export function processHeap(): Heap {
  return {
    usedBytes: () => v8.getHeapStatistics().used_heap_size,
    shrink: () => {
      v8.setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as (options: Readonly<Record<string, string>>) => void;
      v8.setFlagsFromString("--no-expose-gc");
      // Only the last resort makes the young generation small again.
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
