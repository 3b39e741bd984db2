import type { PartialObject } from "../api/object.ts";
import type { Clock } from "../clock/clock.ts";
import { PerOwner } from "../api/per-owner.ts";

/** A missed delete event never arrives later: after this long a controller looks anyway. */
export const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;

interface Expected {
  creations: number;
  deletions: number;
  readonly sinceMs: number;
}

/**
 * What a controller has asked for and its cache has yet to show, per owner. Until that is seen, or has expired, the cache
 * is behind and the owner must not act on it again: it would create or delete twice. An owner that was made anew under
 * the name of another expects nothing.
 *
 * A count may fall below 0 when more is observed than was expected; that is fulfilled as well.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new PerOwner<Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreations(owner: PartialObject, count: number): void {
    this.set(owner, count, 0);
  }

  expectDeletions(owner: PartialObject, count: number): void {
    this.set(owner, 0, count);
  }

  /** Replaces what was expected before, and starts the time-out anew. */
  set(owner: PartialObject, creations: number, deletions: number): void {
    this.#expected.set(owner, { creations, deletions, sinceMs: this.#clock.monotonicMs() });
  }

  creationObserved(owner: PartialObject): void {
    this.lower(owner, 1, 0);
  }

  deletionObserved(owner: PartialObject): void {
    this.lower(owner, 0, 1);
  }

  /** The time-out is not started anew. Without expectations of the owner nothing happens. */
  raise(owner: PartialObject, creations: number, deletions: number): void {
    const expected = this.#expected.get(owner);
    if (expected === undefined) return;
    expected.creations += creations;
    expected.deletions += deletions;
  }

  lower(owner: PartialObject, creations: number, deletions: number): void {
    this.raise(owner, -creations, -deletions);
  }

  /** True when all was observed, when it was waited for too long, and when nothing was ever expected. */
  satisfied(owner: PartialObject): boolean {
    const expected = this.#expected.get(owner);
    if (expected === undefined) return true;
    if (expected.creations <= 0 && expected.deletions <= 0) return true;
    return this.#clock.monotonicMs() - expected.sinceMs > EXPECTATIONS_TIMEOUT_MS;
  }

  /** After how long the owner will be satisfied in any case; undefined when it is already. */
  untilSatisfiedMs(owner: PartialObject): number | undefined {
    const expected = this.#expected.get(owner);
    if (expected === undefined || this.satisfied(owner)) return undefined;
    return expected.sinceMs + EXPECTATIONS_TIMEOUT_MS + 1 - this.#clock.monotonicMs();
  }

  /** For logs and tests. */
  get(owner: PartialObject): { readonly creations: number; readonly deletions: number } | undefined {
    return this.#expected.get(owner);
  }

  /** This very owner is gone. */
  delete(owner: PartialObject): void {
    this.#expected.delete(owner);
  }

  /** No owner has the name any more. */
  deleteName(key: string): void {
    this.#expected.deleteName(key);
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
  readonly #awaited = new PerOwner<Set<string>>();

  constructor(expectations: Expectations) {
    this.#expectations = expectations;
  }

  /** `objects` are unique names of the objects, such as their keys. What was expected of the owner before is replaced. */
  expectDeletions(owner: PartialObject, objects: Iterable<string>): void {
    const awaited = new Set(objects);
    this.#awaited.set(owner, awaited);
    this.#expectations.expectDeletions(owner, awaited.size);
  }

  creationObserved(owner: PartialObject): void {
    this.#expectations.creationObserved(owner);
  }

  deletionObserved(owner: PartialObject, object: string): void {
    if (this.#awaited.get(owner)?.delete(object)) this.#expectations.deletionObserved(owner);
  }

  awaited(owner: PartialObject): ReadonlySet<string> | undefined {
    return this.#awaited.get(owner);
  }

  /** This very owner is gone. */
  delete(owner: PartialObject): void {
    this.#awaited.delete(owner);
    this.#expectations.delete(owner);
  }

  /** No owner has the name any more. */
  deleteName(key: string): void {
    this.#awaited.deleteName(key);
    this.#expectations.deleteName(key);
  }
}
