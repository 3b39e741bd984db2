import type { Clock } from "../clock/clock.ts";

/** Of a deletion event that was missed nothing is heard any more: after this long a controller looks anyway. */
export const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;

interface Expected {
  creations: number;
  deletions: number;
  readonly sinceMs: number;
}

/**
 * What a controller has asked for and its cache has yet to show, per owner key. Until that is seen, or has expired, the
 * cache is behind and the owner must not act on it again: it would create or delete twice.
 *
 * A count may fall below 0 when more is observed than was expected; that is fulfilled as well.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreations(key: string, count: number): void {
    this.set(key, count, 0);
  }

  expectDeletions(key: string, count: number): void {
    this.set(key, 0, count);
  }

  /** Replaces what was expected before, and starts the time-out anew. */
  set(key: string, creations: number, deletions: number): void {
    this.#expected.set(key, { creations, deletions, sinceMs: this.#clock.monotonicMs() });
  }

  creationObserved(key: string): void {
    this.lower(key, 1, 0);
  }

  deletionObserved(key: string): void {
    this.lower(key, 0, 1);
  }

  /** The time-out is not started anew. Without expectations of the key nothing happens. */
  raise(key: string, creations: number, deletions: number): void {
    const expected = this.#expected.get(key);
    if (expected === undefined) return;
    expected.creations += creations;
    expected.deletions += deletions;
  }

  lower(key: string, creations: number, deletions: number): void {
    this.raise(key, -creations, -deletions);
  }

  /** True when all was observed, when it was waited for too long, and when nothing was ever expected. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    if (expected.creations <= 0 && expected.deletions <= 0) return true;
    return this.#clock.monotonicMs() - expected.sinceMs > EXPECTATIONS_TIMEOUT_MS;
  }

  /** After how long the key will be satisfied in any case; undefined when it is already. */
  untilSatisfiedMs(key: string): number | undefined {
    const expected = this.#expected.get(key);
    if (expected === undefined || this.satisfied(key)) return undefined;
    return expected.sinceMs + EXPECTATIONS_TIMEOUT_MS + 1 - this.#clock.monotonicMs();
  }

  /** For logs and tests. */
  get(key: string): { readonly creations: number; readonly deletions: number } | undefined {
    return this.#expected.get(key);
  }

  /** The owner is gone. */
  delete(key: string): void {
    this.#expected.delete(key);
  }

  get size(): number {
    return this.#expected.size;
  }
}

/**
 * Expectations that know which objects they wait to see deleted. A graceful deletion is seen twice, when its timestamp
 * appears and when the object goes; it must lower the count once.
 */
export class DeletionTracking {
  readonly #expectations: Expectations;
  readonly #awaited = new Map<string, Set<string>>();

  constructor(expectations: Expectations) {
    this.#expectations = expectations;
  }

  /** `objects` are unique names of the objects, such as their keys. What was expected of the owner before is replaced. */
  expectDeletions(key: string, objects: Iterable<string>): void {
    const awaited = new Set(objects);
    this.#awaited.set(key, awaited);
    this.#expectations.expectDeletions(key, awaited.size);
  }

  deletionObserved(key: string, object: string): void {
    if (this.#awaited.get(key)?.delete(object)) this.#expectations.deletionObserved(key);
  }

  awaited(key: string): ReadonlySet<string> | undefined {
    return this.#awaited.get(key);
  }

  /** The owner is gone. */
  delete(key: string): void {
    this.#awaited.delete(key);
    this.#expectations.delete(key);
  }
}
