import type { ApiObject } from "../api/object.ts";
import { keyOf } from "../api/object.ts";
import type { DeltaBatch, DeltaQueue, KnownObjects, ObjectDelta } from "./delta.ts";
import { Population } from "./delta.ts";

export interface KeyedQueueOptions<T> {
  readonly keyOf?: (object: T) => string;
  /** Without it, deletions are inferred only for objects that are still queued, and a resync does nothing. */
  readonly known?: KnownObjects<T>;
}

/**
 * The changes of one object accumulate and are handed over together; keys come out in the order in which they were
 * first queued.
 * Invariant: a key is in the map exactly as long as it has at least one delta.
 * upstream: tools/cache/delta_fifo.go
 */
export class KeyedQueue<T extends ApiObject> implements DeltaQueue<T> {
  readonly inOrder = false;
  readonly #keyOf: (object: T) => string;
  readonly #known: KnownObjects<T> | undefined;
  readonly #population = new Population();
  readonly #deltas = new Map<string, ObjectDelta<T>[]>();

  constructor(options: KeyedQueueOptions<T> = {}) {
    this.#keyOf = options.keyOf ?? keyOf;
    this.#known = options.known;
  }

  get length(): number {
    return this.#deltas.size;
  }

  get hasSynced(): boolean {
    return this.#population.hasSynced;
  }

  add(object: T): void {
    this.#population.begin(0);
    this.#push({ type: "Added", key: this.#keyOf(object), object });
  }

  update(object: T): void {
    this.#population.begin(0);
    this.#push({ type: "Updated", key: this.#keyOf(object), object });
  }

  /** The deletion of an object that neither the queue nor the store has heard of means nothing to anybody. */
  delete(object: T): void {
    this.#population.begin(0);
    const key = this.#keyOf(object);
    if (!this.#deltas.has(key) && this.#known?.get(key) === undefined) return;
    this.#push({ type: "Deleted", key, object, missed: false });
  }

  replace(objects: Map<string, T>): void {
    for (const [key, object] of objects) this.#push({ type: "Replaced", key, object });
    const missing: ObjectDelta<T>[] = [];
    for (const [key, deltas] of this.#deltas) {
      const newest = deltas.at(-1);
      if (!objects.has(key) && newest !== undefined) missing.push(tombstone(key, newest.object));
    }
    for (const key of this.#known?.keys() ?? []) {
      const object = this.#known?.get(key);
      if (!objects.has(key) && !this.#deltas.has(key) && object !== undefined)
        missing.push(tombstone(key, object));
    }
    for (const delta of missing) this.#push(delta);
    this.#population.beginWith(objects.size + missing.length);
  }

  /** What is queued already is left alone: the store's state of it is out of date. */
  resync(): void {
    for (const key of this.#known?.keys() ?? []) {
      const object = this.#known?.get(key);
      if (object !== undefined && !this.#deltas.has(key)) this.#push({ type: "Sync", key, object });
    }
  }

  /** Keys come out of order, so that a version says nothing about what the store has seen. */
  bookmark(): void {}

  pop(): DeltaBatch<T> | undefined {
    const next = this.#deltas.entries().next();
    if (next.done === true) return undefined;
    const [key, deltas] = next.value;
    const initial = !this.#population.hasSynced;
    this.#deltas.delete(key);
    return { deltas, initial };
  }

  done(): void {
    this.#population.consumed(1);
  }

  failed(): void {
    this.#population.failed();
  }

  #push(delta: ObjectDelta<T>): void {
    const deltas = this.#deltas.get(delta.key);
    const newest = deltas?.at(-1);
    if (deltas === undefined) this.#deltas.set(delta.key, [delta]);
    else if (delta.type !== "Deleted" || newest?.type !== "Deleted") deltas.push(delta);
    // Of two deletions in a row the one that was really seen knows the final state.
    else if (newest.missed) deltas[deltas.length - 1] = delta;
  }
}

function tombstone<T>(key: string, object: T): ObjectDelta<T> {
  return { type: "Deleted", key, object, missed: true };
}
