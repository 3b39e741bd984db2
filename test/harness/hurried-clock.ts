import type { Clock, Timer } from "../../pkg/clock/clock.ts";

/** A real clock whose durations pass `factor` times as fast: what takes 40 s takes 0.4 s. Its wall clock is the real one. */
export class HurriedClock implements Clock {
  readonly #clock: Clock;
  readonly #factor: number;

  constructor(clock: Clock, factor: number) {
    this.#clock = clock;
    this.#factor = factor;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() * this.#factor;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    return this.#clock.setTimer(delayMs / this.#factor, callback);
  }

  async turn(): Promise<void> {
    return this.#clock.turn();
  }
}
