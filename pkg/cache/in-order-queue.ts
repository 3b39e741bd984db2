import type { ApiObject } from "../api/object.ts";
import { keyOf } from "../api/object.ts";
import type { Delta, DeltaBatch, DeltaQueue } from "./delta.ts";
import { Population } from "./delta.ts";

const LARGEST_BATCH = 1_000;

/**
 * Every change in the order in which it came. A batch holds changes of distinct keys, so that it can be applied to
 * the store as one transaction; a change of the whole is a batch of its own.
 * upstream: tools/cache/the_real_fifo.go, in its atomic form, which is the default since 1.36.
 */
export class InOrderQueue<T extends ApiObject> implements DeltaQueue<T> {
  readonly inOrder = true;
  readonly #keyOf: (object: T) => string;
  readonly #population = new Population();
  /** Taken from the front by moving `#head`; the array is cut once half of it is used up. */
  #deltas: (Delta<T> | undefined)[] = [];
  #head = 0;
  #inWork = 0;

  constructor(keyFunction: (object: T) => string = keyOf) {
    this.#keyOf = keyFunction;
  }

  get length(): number {
    return this.#deltas.length - this.#head;
  }

  get hasSynced(): boolean {
    return this.#population.hasSynced;
  }

  add(object: T): void {
    this.#population.begin(0);
    this.#deltas.push({ type: "Added", key: this.#keyOf(object), object });
  }

  update(object: T): void {
    this.#population.begin(0);
    this.#deltas.push({ type: "Updated", key: this.#keyOf(object), object });
  }

  delete(object: T): void {
    this.#population.begin(0);
    this.#deltas.push({ type: "Deleted", key: this.#keyOf(object), object, missed: false });
  }

  replace(objects: Map<string, T>, resourceVersion: string): void {
    this.#deltas.push({ type: "ReplacedAll", objects, resourceVersion });
    this.#population.beginWith(this.length);
  }

  resync(): void {
    this.#deltas.push({ type: "SyncAll" });
  }

  /** A bookmark only moves the version, so of several in a row the last one is enough. */
  bookmark(resourceVersion: string): void {
    const last = this.length === 0 ? undefined : this.#deltas.at(-1);
    if (last?.type === "Bookmark") this.#deltas.pop();
    this.#deltas.push({ type: "Bookmark", resourceVersion });
  }

  pop(): DeltaBatch<T> | undefined {
    if (this.length === 0) return undefined;
    const initial = !this.#population.hasSynced;
    const limit = Math.min(LARGEST_BATCH, this.length, this.#population.left || LARGEST_BATCH);
    const keys = new Set<string>();
    const deltas: Delta<T>[] = [];
    while (deltas.length < limit) {
      const delta = this.#deltas[this.#head + deltas.length];
      if (delta === undefined) break;
      const ofOneObject = "key" in delta;
      if (deltas.length > 0 && (!ofOneObject || keys.has(delta.key))) break;
      deltas.push(delta);
      if (!ofOneObject) break;
      keys.add(delta.key);
    }
    this.#drop(deltas.length);
    this.#inWork = deltas.length;
    return { deltas, initial };
  }

  done(): void {
    this.#population.consumed(this.#inWork);
    this.#inWork = 0;
  }

  failed(): void {
    this.#population.failed();
    this.#inWork = 0;
  }

  #drop(count: number): void {
    this.#deltas.fill(undefined, this.#head, this.#head + count);
    this.#head += count;
    if (this.#head * 2 < this.#deltas.length) return;
    this.#deltas = this.#deltas.slice(this.#head);
    this.#head = 0;
  }
}
