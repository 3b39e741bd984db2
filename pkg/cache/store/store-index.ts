import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject } from "../../api/object.ts";
import { LabelGroups } from "./label-groups.ts";

/** The values by which an object is found. */
export type ValuesOf<T> = (object: T) => readonly string[];

const NOTHING: readonly never[] = Object.freeze([]);

/** A map of objects that remembers the array of its values until the next change, so that reading it costs nothing. */
export class Bucket<T extends PartialObject> {
  readonly #items: Map<string, T>;
  #snapshot: readonly T[] | undefined;
  /** Once somebody has selected among them. */
  #groups: LabelGroups<T> | undefined;

  constructor(items: Map<string, T>) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  set(key: string, object: T): void {
    const before = this.#groups && this.#items.get(key);
    this.#items.set(key, object);
    this.#snapshot = undefined;
    this.#groups?.changed(key, before, object);
  }

  delete(key: string): void {
    const before = this.#groups && this.#items.get(key);
    this.#items.delete(key);
    this.#snapshot = undefined;
    this.#groups?.changed(key, before, undefined);
  }

  list(): readonly T[] {
    return (this.#snapshot ??= [...this.#items.values()]);
  }

  /** Those that the selector matches, in the same order. */
  matching(selector: LabelSelector): readonly T[] {
    this.#groups ??= new LabelGroups(this.#items);
    return this.#groups.matching(selector);
  }

  entries(): MapIterator<[string, T]> {
    return this.#items.entries();
  }
}

/** The objects of a store grouped by the values that a function gives for them. */
export class StoreIndex<T extends PartialObject> {
  readonly function: ValuesOf<T>;
  readonly #buckets = new Map<string, Bucket<T>>();

  constructor(indexFunction: ValuesOf<T>) {
    this.function = indexFunction;
  }

  update(key: string, before: T | undefined, after: T | undefined): void {
    const oldValues = before === undefined ? NOTHING : this.function(before);
    const newValues = after === undefined ? NOTHING : this.function(after);
    for (const value of oldValues) if (!newValues.includes(value)) this.#remove(value, key);
    if (after === undefined) return;
    for (const value of newValues) {
      const bucket = this.#buckets.get(value);
      if (bucket === undefined) this.#buckets.set(value, new Bucket(new Map([[key, after]])));
      else bucket.set(key, after);
    }
  }

  #remove(value: string, key: string): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return;
    bucket.delete(key);
    if (bucket.size === 0) this.#buckets.delete(value);
  }

  list(value: string): readonly T[] {
    return this.#buckets.get(value)?.list() ?? NOTHING;
  }

  matching(value: string, selector: LabelSelector): readonly T[] {
    return this.#buckets.get(value)?.matching(selector) ?? NOTHING;
  }

  values(): readonly string[] {
    return [...this.#buckets.keys()];
  }
}
