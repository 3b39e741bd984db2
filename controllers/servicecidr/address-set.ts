import type { Span } from "./ranges.ts";

/** Lists grow to twice this length before they are split. */
const HALF = 512;

/** Numbers in their order, in lists that are short enough to be moved whenever one comes or goes. */
export class AddressSet {
  readonly #lists: bigint[][] = [];

  add(value: bigint): void {
    const place = Math.min(this.#listFor(value), Math.max(0, this.#lists.length - 1));
    const list = this.#lists[place];
    if (list === undefined) {
      this.#lists.push([value]);
      return;
    }
    const index = placeIn(list, (each) => each >= value);
    if (list[index] === value) return;
    list.splice(index, 0, value);
    if (list.length > 2 * HALF) this.#lists.splice(place + 1, 0, list.splice(HALF));
  }

  delete(value: bigint): void {
    const place = this.#listFor(value);
    const list = this.#lists[place];
    if (list === undefined) return;
    const index = placeIn(list, (each) => each >= value);
    if (list[index] !== value) return;
    list.splice(index, 1);
    if (list.length === 0) this.#lists.splice(place, 1);
  }

  /** The least that is in the span. */
  firstIn({ first, last }: Pick<Span, "first" | "last">): bigint | undefined {
    const list = this.#lists[this.#listFor(first)] ?? [];
    const found = list[placeIn(list, (each) => each >= first)];
    return found !== undefined && found <= last ? found : undefined;
  }

  /** The first list that does not end before the value. */
  #listFor(value: bigint): number {
    return placeIn(this.#lists, (list) => (list.at(-1) ?? value) >= value);
  }
}

/** Where the first is that is so, among such as are not so and then are; behind the last when none is. */
function placeIn<T>(list: readonly T[], isSo: (each: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = list[middle];
    if (each !== undefined && isSo(each)) high = middle;
    else low = middle + 1;
  }
  return low;
}
