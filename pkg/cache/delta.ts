import type { ApiObject } from "../api/object.ts";

/** A change of one object. `Replaced` comes from a list, `Sync` from a resync of what is known already. */
export type ObjectDelta<T> =
  | { readonly type: "Added" | "Updated" | "Replaced" | "Sync"; readonly key: string; readonly object: T }
  /** `missed`: the deletion was inferred from a list, and `object` is the last state that was seen. */
  | { readonly type: "Deleted"; readonly key: string; readonly object: T; readonly missed: boolean };

/** A change of the whole: only the in-order queue makes these. */
export type WholeDelta<T> =
  | { readonly type: "ReplacedAll"; readonly objects: Map<string, T>; readonly resourceVersion: string }
  | { readonly type: "SyncAll" }
  | { readonly type: "Bookmark"; readonly resourceVersion: string };

export type Delta<T> = ObjectDelta<T> | WholeDelta<T>;

export interface DeltaBatch<T> {
  readonly deltas: readonly Delta<T>[];
  /** Belongs to the first complete list. */
  readonly initial: boolean;
}

/** What a queue needs to know of the store that it feeds. */
export interface KnownObjects<T> {
  keys(): Iterable<string>;
  get(key: string): T | undefined;
}

/**
 * Carries changes from the reflector to the store. One producer, one consumer: each batch that `pop` gives must be
 * followed by `done` before the next `pop`.
 */
export interface DeltaQueue<T extends ApiObject> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** Everything there is, by key. The queue owns the map from now on. */
  replace(objects: Map<string, T>, resourceVersion: string): void;
  /** Lets every known object pass through again. */
  resync(): void;
  bookmark(resourceVersion: string): void;
  pop(): DeltaBatch<T> | undefined;
  done(): void;
  /** Instead of `done`: the batch could not be processed. A first population is then complete with the next replacement. */
  failed(): void;
  readonly length: number;
  /** Changes come out in the order of their versions, so that each tells what the store has seen. */
  readonly inOrder: boolean;
  /** The first replacement, or whatever came before it, was popped and is done. */
  readonly hasSynced: boolean;
}

/** Whether the first population of a queue has been consumed. */
export class Population {
  #populated = false;
  #failed = false;
  #left = 0;

  /** Only the first call counts: what is queued then is the first population. */
  begin(count: number): void {
    if (this.#populated || this.#failed) return;
    this.#populated = true;
    this.#left = count;
  }

  beginWith(replacement: number): void {
    this.#failed = false;
    this.begin(replacement);
  }

  /** Nothing but a replacement makes up for what is lost. */
  failed(): void {
    if (this.hasSynced) return;
    this.#failed = true;
    this.#populated = false;
    this.#left = 0;
  }

  get left(): number {
    return this.#left;
  }

  consumed(count: number): void {
    this.#left = Math.max(0, this.#left - count);
  }

  get hasSynced(): boolean {
    return this.#populated && this.#left === 0;
  }
}
