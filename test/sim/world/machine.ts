import type { Clock, Timer } from "../../../pkg/clock/clock.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import type { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";

/**
 * What a process runs on: a clock that is off by some hours and runs at a rate of its own. It can be paused (what
 * becomes due meanwhile happens at once, in any order, when it goes on) or die.
 */
export class Machine implements Clock {
  readonly #world: VirtualClock;
  readonly #random: Random;
  readonly #rate: number;
  #wallOffsetMs: number;
  #highestOffsetMs: number;
  #waiting: (() => void)[] | undefined;
  #isDead = false;

  constructor(world: VirtualClock, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#rate = 0.98 + random.next() * 0.04;
    this.#wallOffsetMs = Math.round((random.next() - 0.5) * 60_000);
    this.#highestOffsetMs = this.#wallOffsetMs;
  }

  nowMs(): number {
    return this.#world.nowMs() + this.#wallOffsetMs;
  }

  /** The latest time of day that it may have been taken for by now. */
  latestNowMs(): number {
    return this.#world.nowMs() + this.#highestOffsetMs;
  }

  monotonicMs(): number {
    return this.#world.monotonicMs() * this.#rate;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const timer = this.#world.setTimer(delayMs / this.#rate, () =>
      this.deliver(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  async turn(): Promise<void> {
    return new Promise((resolve) => this.setTimer(0, resolve));
  }

  /** Something reaches this machine: a timer, an answer. */
  deliver(callback: () => void): void {
    if (this.#isDead) return;
    if (this.#waiting === undefined) callback();
    else this.#waiting.push(callback);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  die(): void {
    this.#isDead = true;
    this.#waiting = undefined;
  }

  pause(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    while (waiting.length > 0) waiting.splice(randomBelow(this.#random, waiting.length), 1)[0]?.();
  }

  jumpWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
    this.#highestOffsetMs = Math.max(this.#highestOffsetMs, this.#wallOffsetMs);
  }
}
