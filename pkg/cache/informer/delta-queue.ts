import type { Delta, DeltaBatch } from "../feed/delta.ts";

const LARGEST_BATCH = 1_000;

/**
 * Carries changes from the reflector to the store, each in the order in which it came. A batch holds changes of distinct
 * keys, so that it can be applied to the store as one transaction; a change of the whole is a batch of its own. One
 * producer, one consumer: each batch that `pop` gives must be followed by `done` or `failed` before the next `pop`.
 * upstream: tools/cache/the_real_fifo.go, in its atomic form, which is the default since 1.36.
 */
export class DeltaQueue<T> {
  readonly #population = new Population();
  /** Taken from the front by moving `#head`; the array is cut once half of it is used up. */
  #deltas: (Delta<T> | undefined)[] = [];
  #head = 0;
  #inWork = 0;

  get length(): number {
    return this.#deltas.length - this.#head;
  }

  /** The first replacement, or whatever came before it, was popped and is done. */
  get hasSynced(): boolean {
    return this.#population.hasSynced;
  }

  push(delta: Delta<T>): void {
    // A bookmark only moves the version, so of several in a row the last one is enough.
    if (delta.type === "bookmark" && this.length > 0 && this.#deltas.at(-1)?.type === "bookmark")
      this.#deltas.pop();
    this.#deltas.push(delta);
    if (delta.type === "replace") this.#population.beginWith(this.length);
    else if (delta.type === "set" || delta.type === "delete") this.#population.begin(0);
  }

  pop(): DeltaBatch<T> | undefined {
    if (this.length === 0) return undefined;
    const initial = !this.#population.hasSynced;
    const limit = Math.min(LARGEST_BATCH, this.length, this.#population.left || LARGEST_BATCH);
    // As a rule one change comes at a time.
    const keys = limit > 1 ? new Set<string>() : undefined;
    const deltas: Delta<T>[] = [];
    while (deltas.length < limit) {
      const delta = this.#deltas[this.#head + deltas.length];
      if (delta === undefined) break;
      const ofOneObject = "key" in delta;
      if (deltas.length > 0 && (!ofOneObject || keys?.has(delta.key) === true)) break;
      deltas.push(delta);
      if (!ofOneObject) break;
      keys?.add(delta.key);
    }
    this.#drop(deltas.length);
    this.#inWork = deltas.length;
    return { deltas, initial };
  }

  done(): void {
    this.#population.consumed(this.#inWork);
    this.#inWork = 0;
  }

  /** Instead of `done`: the batch could not be processed. A first population is then complete with the next replacement. */
  failed(): void {
    this.#population.failed();
    this.#inWork = 0;
  }

  #drop(count: number): void {
    this.#deltas.fill(undefined, this.#head, this.#head + count);
    this.#head += count;
    if (this.#head * 2 < this.#deltas.length) return;
    this.#deltas.splice(0, this.#head);
    this.#head = 0;
  }
}

/** Whether the first population of a queue has been consumed. */
class Population {
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
