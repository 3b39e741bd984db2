import type { Clock, Timer } from "../clock/clock.ts";

interface PendingTimer {
  readonly id: number;
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * Time that moves only when told to.
 * Invariants: timers fire in order of due time, equal times in order of creation; every promise that can settle has
 * settled before the next timer fires and before `advanceBy` and `runUntil` return; the monotonic time never goes back,
 * whatever `jumpWallClock` does to the wall clock.
 */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  #nextId = 0;
  readonly #timers: PendingTimer[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startMs;
  }

  nowMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = { id: this.#nextId++, dueMs: this.#nowMs + Math.max(0, delayMs), callback };
    // Equal times stay in order of creation: insert behind every timer that is due no later.
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.dueMs ?? 0) <= timer.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return {
      cancel: () => {
        const index = this.#timers.indexOf(timer);
        if (index >= 0) this.#timers.splice(index, 1);
      },
    };
  }

  async turn(): Promise<void> {
    return new Promise((resolve) => this.setTimer(0, resolve));
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** A step of the wall clock (NTP, a suspended machine): the monotonic time does not notice. */
  jumpWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Stays where it is once `isEnough` holds. */
  async advanceBy(durationMs: number, isEnough = (): boolean => false): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    await settle();
    while (!isEnough() && (this.#timers[0]?.dueMs ?? Infinity) <= endMs) await this.#fireNext();
    if (!isEnough()) this.#nowMs = endMs;
  }

  /** Advances until the condition holds; throws when that takes more than `limitMs` of virtual time. */
  async runUntil(condition: () => boolean, limitMs = 3_600_000): Promise<void> {
    const endMs = this.#nowMs + limitMs;
    await settle();
    while (!condition()) {
      const nextMs = this.#timers[0]?.dueMs;
      if (nextMs === undefined)
        throw new Error(`nothing is scheduled and the condition does not hold: ${condition.toString()}`);
      if (nextMs > endMs) throw new Error(`not within ${limitMs} virtual ms: ${condition.toString()}`);
      await this.#fireNext();
    }
  }

  async #fireNext(): Promise<void> {
    const timer = this.#timers.shift();
    if (timer === undefined) return;
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.callback();
    await settle();
  }
}

/** A macrotask runs only once the queue of microtasks is empty: after this, every promise that can settle has. */
export async function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
