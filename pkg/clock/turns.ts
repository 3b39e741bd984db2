import type { Steps } from "../api/steps.ts";
import type { Clock } from "./clock.ts";

/**
 * Turns of the event loop: long work takes its share of one, and then lets others go on. Promises that are settled do
 * not leave the loop its turns, however many are awaited.
 */

/** What long work may take of one turn. */
const SHARE_MS = 5;
/** On a virtual clock no time passes during work, and the steps have to do as a measure. */
const MOST_STEPS = 512;
/** A decision on so many objects can take 5 ms and more. */
const MANY = 10_000;

/** The share of work that is done in steps, by one that does nothing else meanwhile. */
export class TurnOfSteps {
  readonly #clock: Clock;
  #startMs: number;
  #steps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  /** To be called at every step: a promise to wait for, when it is time for the others. */
  step(): Promise<void> | undefined {
    this.#steps++;
    if (this.#steps < MOST_STEPS && this.#clock.monotonicMs() - this.#startMs < SHARE_MS) return undefined;
    return this.#next();
  }

  /** Runs a long decision, and others where it pauses. */
  async run<R>(steps: Steps<R>): Promise<R> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const next = this.step();
      if (next !== undefined) await next;
    }
  }

  async #next(): Promise<void> {
    await this.#clock.turn();
    this.#startMs = this.#clock.monotonicMs();
    this.#steps = 0;
  }
}

/** Calls `visit` for each of thousands of objects. */
export async function forEachInTurns<T>(
  clock: Clock,
  items: Iterable<T>,
  visit: (item: T) => void,
): Promise<void> {
  await runInTurns(clock, visits(items, visit));
}

/** Runs a long decision, and others where it pauses. */
export async function runInTurns<R>(clock: Clock, steps: Steps<R>): Promise<R> {
  return new TurnOfSteps(clock).run(steps);
}

function* visits<T>(items: Iterable<T>, visit: (item: T) => void): Steps<void> {
  for (const item of items) {
    visit(item);
    yield;
  }
}

/** Before work on so many objects that takes all of its share at once: it begins with a turn. */
export async function turnFor(count: number, clock: Clock): Promise<void> {
  if (count >= MANY) await clock.turn();
}

/** One share for all that work on the same thing: many of them have no longer ones than few. */
export class SharedTurn {
  readonly #clock: Clock;
  /** Undefined until somebody begins to work in it. */
  #startMs: number | undefined;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isOver(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#startMs ??= nowMs;
    return nowMs - this.#startMs >= SHARE_MS;
  }

  /** Resolves in a turn that is not over. */
  async next(): Promise<void> {
    do {
      this.#next ??= this.#begin();
      await this.#next;
    } while (this.isOver());
  }

  async #begin(): Promise<void> {
    await this.#clock.turn();
    this.#startMs = undefined;
    this.#next = undefined;
  }
}
