import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";

/** What a start or the first lists leave behind is garbage by then. */
const DELAY_MS = 15_000;
/** Up to here a full collection takes some tens of milliseconds; in larger heaps the memory to win does not count. */
const MOST_HEAP_BYTES = 48 << 20;
/** More than what comes and goes in the young generation of a process that does next to nothing. */
const WASTE_BYTES = 16 << 20;
/** A process that allocates no more from one look to the next does next to nothing. */
const QUIET_BYTES = 4 << 20;

export interface Heap {
  usedBytes(): number;
  /** Since the process began. */
  allocatedBytes(): number;
  /** Collects all garbage and gives free memory back to the machine. */
  shrink(): void;
}

/**
 * Gives memory back that only the start has used, and later what only a burst of work has. V8 lets the young generation grow
 * while programs are read and caches filled, keeps it at that size (15 MB here) for as long as little is allocated, and has
 * no reason then to look for garbage.
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

  /** Once, some time after the last call; from then on whenever there is something to win and nothing else is done. */
  releaseLater(): void {
    this.#later(() => this.#release());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #later(work: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(DELAY_MS, work);
  }

  #release(): void {
    const usedBytes = this.#heap.usedBytes();
    if (usedBytes <= MOST_HEAP_BYTES) {
      const startMs = this.#clock.monotonicMs();
      this.#heap.shrink();
      this.#log.verbose(2, "Memory was given back", {
        durationMs: this.#clock.monotonicMs() - startMs,
        heapBytes: usedBytes,
      });
    }
    this.#look(this.#heap.usedBytes(), this.#heap.allocatedBytes());
  }

  /** `leftBytes` is what could not be given back the last time. */
  #look(leftBytes: number, allocatedBefore: number): void {
    this.#later(() => {
      const usedBytes = this.#heap.usedBytes();
      const allocated = this.#heap.allocatedBytes();
      const isQuiet = allocated - allocatedBefore <= QUIET_BYTES;
      if (isQuiet && usedBytes - leftBytes >= WASTE_BYTES) this.#release();
      else this.#look(leftBytes, allocated);
    });
  }
}

/** Of this process. The collector is reached through a flag that is for tests, but changes nothing else. */
export function processHeap(): Heap {
  return {
    usedBytes: () => v8.getHeapStatistics().used_heap_size,
    allocatedBytes: () => v8.getHeapStatistics().total_allocated_bytes,
    shrink: () => {
      v8.setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as (options: Readonly<Record<string, string>>) => void;
      v8.setFlagsFromString("--no-expose-gc");
      // Only the last resort makes the young generation small again.
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
