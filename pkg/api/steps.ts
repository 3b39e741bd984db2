/**
 * Long work that can be interrupted: it pauses at each `yield`, and goes on when its runner wants it to. So a decision
 * on 50,000 objects leaves the event loop its turns (runInTurns in pkg/clock) though it knows of no clock.
 */
export type Steps<R> = IterableIterator<undefined, R, undefined>;

/** What is done between two pauses: with cold memory, well below a millisecond. */
export const STEP = 64;
/** One that has to be sorted at once takes several times as long. */
const SORTED_STEP = 512;

/** Work that turns out to be none: a generator would cost several times as much as what most have to do. */
export function done<R>(value: R): Steps<R> {
  return new Done(value);
}

class Done<R> implements Steps<R> {
  readonly #result: IteratorReturnResult<R>;

  constructor(value: R) {
    this.#result = { done: true, value };
  }

  next(): IteratorReturnResult<R> {
    return this.#result;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** All steps in one go. */
export function inOneGo<R>(steps: Steps<R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Calls `visit` for each, with pauses. */
export function* forEachInSteps<T>(items: Iterable<T>, visit: (item: T) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count++;
    if (count % STEP === 0) yield;
  }
}

/** As toSorted: those that are equal stay in their order. */
export function* sortInSteps<T extends object>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Steps<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += SORTED_STEP) {
    runs.push(items.slice(start, start + SORTED_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      longer.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T extends object>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
): Steps<readonly T[]> {
  const merged: T[] = [];
  let [at, atSecond] = [0, 0];
  for (;;) {
    const [one, other] = [first[at], second[atSecond]];
    if (one === undefined || (other !== undefined && compare(other, one) < 0)) {
      if (other === undefined) return merged;
      merged.push(other);
      atSecond++;
    } else {
      merged.push(one);
      at++;
    }
    if (merged.length % SORTED_STEP === 0) yield;
  }
}
