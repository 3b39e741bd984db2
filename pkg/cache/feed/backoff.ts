import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { jitter } from "../../clock/random.ts";

const FIRST_MS = 800;
const LARGEST_MS = 30_000;
const FACTOR = 2;
/** After this long without a failure the server counts as healthy again. */
const RESET_AFTER_MS = 120_000;

/** Pauses of 0.8 s, 1.6 s, 3.2 s … 30 s, each lengthened at random by up to as much again. */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: Random;
  #pauseMs = FIRST_MS;
  #lastMs: number;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#lastMs = clock.monotonicMs();
  }

  nextMs(): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lastMs > RESET_AFTER_MS) this.#pauseMs = FIRST_MS;
    this.#lastMs = nowMs;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * FACTOR, LARGEST_MS);
    return jitter(this.#random, pauseMs, 1);
  }
}
