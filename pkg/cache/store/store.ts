import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject } from "../../api/object.ts";
import { Bucket, StoreIndex, type ValuesOf } from "./store-index.ts";

/** Content that is to replace that of a store, filled bit by bit. */
export interface Draft<T> {
  /** To be given to the store. Only the draft may change it. */
  readonly objects: Map<string, T>;
  set(key: string, object: T): void;
  delete(key: string): void;
  clear(): void;
}

/**
 * Objects by key, with indexes that are kept up to date by every change.
 * Invariants: an index holds a key under exactly the values that its function gives for the object in the store; no
 * index holds an empty value; iteration is in the order in which keys were first added; an array that was handed out
 * never changes, and is handed out again until something in it does.
 */
export class Store<T extends PartialObject> {
  #items = new Bucket<T>(new Map());
  #indexes = new Map<string, StoreIndex<T>>();
  /** By the objects of the draft. */
  readonly #draftIndexes = new WeakMap<Map<string, T>, ReadonlyMap<string, StoreIndex<T>>>();
  #resourceVersion = "";

  /** The resourceVersion up to which the content is complete; "" before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  /** All objects, or those that the selector matches. */
  list(selector?: LabelSelector): readonly T[] {
    return selector === undefined ? this.#items.list() : this.#items.matching(selector);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#items.entries();
  }

  /** Returns what was there before. */
  set(key: string, object: T): T | undefined {
    const before = this.#items.get(key);
    for (const index of this.#indexes.values()) index.update(key, before, object);
    this.#items.set(key, object);
    return before;
  }

  /** Returns what was there. */
  delete(key: string): T | undefined {
    const before = this.#items.get(key);
    if (before === undefined) return undefined;
    for (const index of this.#indexes.values()) index.update(key, before, undefined);
    this.#items.delete(key);
    return before;
  }

  /** Everything up to this version is in the store. */
  advance(resourceVersion: string): void {
    if (resourceVersion !== "") this.#resourceVersion = resourceVersion;
  }

  /**
   * Its indexes are built while it is filled: a list of many objects takes long to come, and they are at hand then. So
   * little is left to do once it is complete.
   */
  draft(): Draft<T> {
    const objects = new Map<string, T>();
    let indexes: Map<string, StoreIndex<T>>;
    const clear = (): void => {
      objects.clear();
      indexes = new Map([...this.#indexes].map(([name, index]) => [name, new StoreIndex(index.function)]));
      this.#draftIndexes.set(objects, indexes);
    };
    const change = (key: string, after: T | undefined): void => {
      const before = objects.get(key);
      for (const index of indexes.values()) index.update(key, before, after);
    };
    clear();
    return {
      objects,
      set: (key, object) => {
        change(key, object);
        objects.set(key, object);
      },
      delete: (key) => {
        change(key, undefined);
        objects.delete(key);
      },
      clear,
    };
  }

  /**
   * The whole content, exchanged in one step. The iterator does the long part, the building of indexes that there are
   * not yet, a bit at a time while readers still see the old content; calling what it returns makes the exchange.
   */
  *prepareReplace(
    objects: Map<string, T>,
    resourceVersion: string,
  ): Generator<undefined, () => void, undefined> {
    const indexes = new Map(this.#draftIndexes.get(objects));
    this.#draftIndexes.delete(objects);
    for (const [name, index] of this.#indexes) {
      if (indexes.has(name)) continue;
      const next = new StoreIndex(index.function);
      for (const [key, object] of objects) {
        next.update(key, undefined, object);
        yield;
      }
      indexes.set(name, next);
    }
    return () => {
      // Indexes that were added since the preparation began are built now.
      for (const [name, index] of this.#indexes) {
        if (!indexes.has(name)) indexes.set(name, buildIndex(index.function, objects));
      }
      this.#items = new Bucket(objects);
      this.#indexes = indexes;
      this.#resourceVersion = resourceVersion;
    };
  }

  addIndex(name: string, indexFunction: ValuesOf<T>): void {
    if (this.#indexes.has(name)) throw new Error(`there is already another index named ${name}`);
    this.#indexes.set(name, buildIndex(indexFunction, this.#items));
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Objects whose index function gave `value`, and that the selector matches. */
  byIndex(name: string, value: string, selector?: LabelSelector): readonly T[] {
    const index = this.#index(name);
    return selector === undefined ? index.list(value) : index.matching(value, selector);
  }

  /** Every value that some object has in the index. */
  indexValues(name: string): readonly string[] {
    return this.#index(name).values();
  }

  #index(name: string): StoreIndex<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`there is no index named ${name}`);
    return index;
  }
}

function buildIndex<T extends PartialObject>(
  indexFunction: ValuesOf<T>,
  objects: { entries(): Iterable<[string, T]> },
): StoreIndex<T> {
  const index = new StoreIndex(indexFunction);
  for (const [key, object] of objects.entries()) index.update(key, undefined, object);
  return index;
}
