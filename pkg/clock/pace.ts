import type { Steps } from "../api/steps.ts";
import type { Clock } from "./clock.ts";

const LONGEST_RUN_MS = 5;
/** On a virtual clock no time passes during work, and the steps have to do as a measure. */
const MOST_STEPS = 512;

/**
 * Lets a loop over things that may all be there already leave the event loop its turns: promises that are settled do
 * not, however many are awaited.
 */
export class Pace {
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
    if (this.#steps < MOST_STEPS && this.#clock.monotonicMs() - this.#startMs < LONGEST_RUN_MS)
      return undefined;
    return this.#turn();
  }

  async #turn(): Promise<void> {
    await this.#clock.turn();
    this.#startMs = this.#clock.monotonicMs();
    this.#steps = 0;
  }
}

/** Calls `visit` for each of thousands of objects, with turns of the event loop in between. */
export async function forEachPaced<T>(
  clock: Clock,
  items: Iterable<T>,
  visit: (item: T) => void,
): Promise<void> {
  await runPaced(clock, visits(items, visit));
}

/** Runs a long decision and lets the event loop have its turns where the decision pauses. */
export async function runPaced<R>(clock: Clock, steps: Steps<R>): Promise<R> {
  const pace = new Pace(clock);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = pace.step();
    if (pause !== undefined) await pause;
  }
}

function* visits<T>(items: Iterable<T>, visit: (item: T) => void): Steps<void> {
  for (const item of items) {
    visit(item);
    yield;
  }
}
