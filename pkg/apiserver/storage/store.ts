import type { ApiObject } from "../../api/object.ts";
import type { Clock } from "../../clock/clock.ts";
import { Bucket, type EventListener, type StoredEvent } from "./bucket.ts";
import { lowerBound } from "./sorted-keys.ts";
import { deepFreeze } from "../../api/freeze.ts";
import type { Journal } from "./journal.ts";

/** An object whose metadata may still be written to: the store stamps its revision on it, then freezes it. */
export type Unstored = ApiObject & { readonly metadata: { resourceVersion?: string; selfLink?: string } };

export interface StoreWindow {
  /** Events kept per resource. */
  readonly maxEvents: number;
  /** Events older than this are forgotten as new ones come. */
  readonly maxAgeMs: number;
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly journal?: Journal;
  readonly window?: StoreWindow;
  /**
   * Leaves objects unfrozen, for programs that were tested with frozen ones: freezing takes a fifth of a create, and types
   * forbid all changes anyway.
   */
  readonly unfrozen?: boolean;
}

export interface Scan {
  /** Only keys that begin with this. */
  readonly prefix: string;
  /** The state at this revision; now when left out. */
  readonly revision?: number;
  /** The first key to look at. */
  readonly from?: string;
  readonly limit?: number;
  readonly matches?: (object: ApiObject) => boolean;
}

export interface ScanResult {
  readonly items: readonly ApiObject[];
  readonly revision: number;
  /** Where to go on; undefined at the end. */
  readonly next: string | undefined;
  /** Keys from `next` on, whether they match or not. */
  readonly remaining: number;
}

/** The revision asked for is no longer in the window. */
export class CompactedError extends Error {
  readonly code = "Compacted";
  readonly floor: number;
  constructor(floor: number) {
    super(`the history before revision ${floor} is gone`);
    this.name = "CompactedError";
    this.floor = floor;
  }
}

interface Mark {
  readonly revision: number;
  readonly timeMs: number;
}

/** So many parts of the window are told apart. */
const MARKS = 10;

const defaultWindow: StoreWindow = { maxEvents: 8192, maxAgeMs: 300_000 };

/**
 * The objects of all resources under one revision counter. Every write is synchronous: journal first, then memory,
 * then the listeners, in order of revision. Objects handed out are frozen and shared.
 */
export class Store {
  readonly #clock: Clock;
  readonly #journal: Journal | undefined;
  readonly #window: StoreWindow;
  readonly #freeze: <T>(value: T) => T;
  readonly #buckets = new Map<string, Bucket>();
  /** When some revisions were written, in order; enough to tell how old any of them is. */
  #marks: Mark[] = [];
  #revision = 1;
  #compacted = 0;

  constructor(options: StoreOptions) {
    this.#clock = options.clock;
    this.#journal = options.journal;
    this.#window = options.window ?? defaultWindow;
    this.#freeze = options.unfrozen === true ? (value) => value : deepFreeze;
    this.#journal?.replay({
      put: (bucket, key, object, revision) => this.#apply(bucket, key, this.#freeze(object), revision),
      remove: (bucket, key, revision) => this.#applyRemoval(bucket, key, revision),
      reset: (revision) => this.#forgetThrough(revision),
    });
  }

  /** The newest revision handed out: a counter of this store, which clients see as an opaque resourceVersion. */
  get revision(): number {
    return this.#revision;
  }

  get(bucket: string, key: string): ApiObject | undefined {
    return this.#buckets.get(bucket)?.objects.get(key);
  }

  count(bucket: string): number {
    return this.#buckets.get(bucket)?.objects.size ?? 0;
  }

  bucketNames(): string[] {
    return [...this.#buckets.keys()].sort();
  }

  /** The larger part of what `put` has to do, for an object of which only the version may still change. */
  prepare(object: Unstored): void {
    const { metadata } = object;
    for (const key in metadata) this.#freeze(metadata[key as keyof typeof metadata]);
    for (const key in object) if (key !== "metadata") this.#freeze(object[key as keyof typeof object]);
  }

  /**
   * Writes `next` where `current` is the state that the caller saw (undefined: none). Returns what is stored, or
   * undefined, having done nothing, when the state is another by now.
   */
  put(bucket: string, key: string, current: ApiObject | undefined, next: Unstored): ApiObject | undefined {
    if (this.get(bucket, key) !== current) return undefined;
    const revision = this.#revision + 1;
    next.metadata.resourceVersion = String(revision);
    const stored = this.#freeze(next);
    this.#journal?.appendPut(bucket, key, stored, revision);
    this.#notify(bucket, this.#apply(bucket, key, stored, revision));
    this.#snapshotWhenDue();
    return stored;
  }

  /** Removes what is stored if that is still `current`; returns its last state, or undefined as `put` does. */
  remove(bucket: string, key: string, current: ApiObject): ApiObject | undefined {
    if (this.get(bucket, key) !== current) return undefined;
    const revision = this.#revision + 1;
    this.#journal?.appendRemoval(bucket, key, revision);
    const event = this.#applyRemoval(bucket, key, revision);
    if (event === undefined) return undefined;
    this.#notify(bucket, event);
    this.#snapshotWhenDue();
    return event.object;
  }

  /** Objects in order of their keys. Throws a CompactedError when the revision has left the window. */
  scan(bucketName: string, scan: Scan): ScanResult {
    const bucket = this.#bucket(bucketName);
    const revision = scan.revision ?? this.#revision;
    const floor = Math.max(bucket.floor, this.#tooOld());
    if (revision < floor) throw new CompactedError(floor);
    const past = revision < this.#revision ? bucket.differencesAt(revision) : undefined;
    const keys = past === undefined || past.size === 0 ? bucket.keys.all : keysAt(bucket.keys.all, past);
    const first = lowerBound(keys, scan.from ?? scan.prefix);
    const end = lowerBound(keys, `${scan.prefix}\uffff`);
    const items: ApiObject[] = [];
    for (let index = first; index < end; index++) {
      const key = keys[index] ?? "";
      if (scan.limit !== undefined && items.length >= scan.limit)
        return { items, revision, next: key, remaining: end - index };
      const object = past?.has(key) === true ? past.get(key) : bucket.objects.get(key);
      if (object !== undefined && (scan.matches === undefined || scan.matches(object))) items.push(object);
    }
    return { items, revision, next: undefined, remaining: 0 };
  }

  /** The events after `revision`, in order. Throws a CompactedError when some of them are forgotten. */
  eventsAfter(bucketName: string, revision: number): readonly StoredEvent[] {
    const bucket = this.#bucket(bucketName);
    if (revision < bucket.floor) throw new CompactedError(bucket.floor);
    return bucket.eventsAfter(revision);
  }

  /** Calls the listener with every event from now on, within the write; returns the way to end that. */
  subscribe(bucketName: string, listener: EventListener): () => void {
    const { listeners } = this.#bucket(bucketName);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Forgets the history up to and including `revision`. */
  compact(revision: number = this.#revision): void {
    this.#forgetThrough(Math.min(revision, this.#revision));
  }

  /** Resolves when everything is written and the files are closed. */
  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #bucket(name: string): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket();
      bucket.floor = this.#compacted;
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  #forgetThrough(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#compacted = Math.max(this.#compacted, revision);
    for (const bucket of this.#buckets.values()) bucket.forgetThrough(revision);
  }

  #apply(bucketName: string, key: string, object: ApiObject, revision: number): StoredEvent {
    const bucket = this.#bucket(bucketName);
    const previous = bucket.objects.get(key);
    const type = previous === undefined ? "ADDED" : "MODIFIED";
    const event: StoredEvent = { revision, type, key, object, previous, timeMs: this.#clock.nowMs() };
    this.#revision = revision;
    this.#mark(revision);
    bucket.record(event);
    this.#trim(bucket);
    return event;
  }

  #applyRemoval(bucketName: string, key: string, revision: number): StoredEvent | undefined {
    const bucket = this.#bucket(bucketName);
    this.#revision = revision;
    this.#mark(revision);
    const previous = bucket.objects.get(key);
    if (previous === undefined) return undefined;
    const metadata = { ...previous.metadata, resourceVersion: String(revision) };
    const object = this.#freeze({ ...previous, metadata });
    const timeMs = this.#clock.nowMs();
    const event: StoredEvent = { revision, type: "DELETED", key, object, previous, timeMs };
    bucket.record(event);
    this.#trim(bucket);
    return event;
  }

  /** Cuts an eighth of the window at a time, so that a write costs no copy of the whole window. */
  #trim(bucket: Bucket): void {
    const { events } = bucket;
    const { maxEvents, maxAgeMs } = this.#window;
    const slack = Math.max(1, maxEvents >> 3);
    if (events.length >= maxEvents + slack)
      return bucket.forgetThrough(events[events.length - maxEvents - 1]?.revision ?? 0);
    const horizonMs = this.#clock.nowMs() - maxAgeMs;
    const probe = events[Math.min(slack, events.length) - 1];
    if (probe !== undefined && probe.timeMs < horizonMs && events.length > slack)
      bucket.forgetThrough(probe.revision);
  }

  /** upstream: etcd is compacted to where it was five minutes ago; a list that goes on at an older state cannot. */
  #tooOld(): number {
    const horizonMs = this.#clock.nowMs() - this.#window.maxAgeMs;
    const current = this.#marks.findLastIndex(({ timeMs }) => timeMs <= horizonMs);
    if (current > 0) this.#marks = this.#marks.slice(current);
    return current < 0 ? 0 : (this.#marks[0]?.revision ?? 0);
  }

  #mark(revision: number): void {
    const timeMs = this.#clock.nowMs();
    const last = this.#marks.at(-1);
    if (last === undefined || timeMs - last.timeMs >= this.#window.maxAgeMs / MARKS)
      this.#marks.push({ revision, timeMs });
    if (this.#marks.length > 2 * MARKS) this.#tooOld();
  }

  #notify(bucketName: string, event: StoredEvent): void {
    for (const listener of this.#bucket(bucketName).listeners) listener(event);
  }

  #snapshotWhenDue(): void {
    if (this.#journal?.snapshotDue() !== true) return;
    const buckets = [...this.#buckets].map(([name, bucket]): [string, Map<string, ApiObject>] => [
      name,
      new Map(bucket.objects),
    ]);
    this.#journal.startSnapshot(buckets, this.#revision);
  }
}

function keysAt(keys: readonly string[], past: ReadonlyMap<string, ApiObject | undefined>): string[] {
  const then = new Set(keys);
  for (const [key, object] of past) {
    if (object === undefined) then.delete(key);
    else then.add(key);
  }
  return [...then].sort();
}
