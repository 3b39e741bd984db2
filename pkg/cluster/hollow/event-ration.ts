import type { Clock } from "../../clock/clock.ts";

/** As a kubelet's --event-qps and --event-burst; here they are those of all nodes together. */
const PER_SECOND = 50;
const BURST = 200;

/**
 * So many events, and no more: where thousands of pods start at once nobody reads what became of each, and telling it would
 * take as long as starting them. What belongs together is told as a whole or not at all.
 */
export class EventRation {
  readonly #clock: Clock;
  #left = BURST;
  #atMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.monotonicMs();
  }

  take(events: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#atMs) * PER_SECOND) / 1_000);
    this.#atMs = nowMs;
    if (this.#left < events) return false;
    this.#left -= events;
    return true;
  }
}
