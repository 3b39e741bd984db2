import type { Quantity } from "../../pkg/api/quantity.ts";

export interface Sized {
  readonly size: Quantity;
  readonly name: string;
}

/** Things in order of their sizes, and of their names where these are equal. */
export class SortedBySize<T extends Sized> {
  readonly #items: T[] = [];

  get length(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.splice(this.#place(item), 0, item);
  }

  remove(item: Sized): void {
    const place = this.#place(item);
    if (this.#items[place]?.name === item.name) this.#items.splice(place, 1);
  }

  /** From the smallest that is no smaller than this. */
  *upwards(size: Quantity): Generator<T> {
    for (let at = this.#place({ size, name: "" }); at < this.#items.length; at++) yield this.#at(at);
  }

  /** From the largest that is no larger than this. */
  *downwards(size: Quantity): Generator<T> {
    for (let at = this.#place({ size, name: AFTER_ALL_NAMES }) - 1; at >= 0; at--) yield this.#at(at);
  }

  #at(place: number): T {
    const item = this.#items[place];
    if (item === undefined) throw new RangeError(`there is no item ${place}`);
    return item;
  }

  /** Where it is, or would be. */
  #place(item: Sized): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#at(middle), item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Names of objects are of ASCII. */
const AFTER_ALL_NAMES = "\u{ffff}";

function isBefore(one: Sized, other: Sized): boolean {
  const order = one.size.compare(other.size);
  return order === 0 ? one.name < other.name : order < 0;
}
