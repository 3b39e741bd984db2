/** Whole numbers from `begin` to `end`, both included. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

const WORD_BITS = 32;
const PAGE_BITS = 65_536;
const ALL = 0xffff_ffff;

interface Page {
  /** A bit for each number; undefined when all of them are in the set. */
  readonly words: Uint32Array | undefined;
  readonly count: number;
}

/**
 * A set of whole numbers below `size`, which may be 2^32. Pages of 65,536 numbers that are all in it, or all not, take no
 * memory to speak of, and are passed over in one step.
 */
export class IndexSet {
  readonly size: number;
  readonly #pages = new Map<number, Page>();
  #count = 0;

  constructor(size: number) {
    this.size = size;
  }

  get count(): number {
    return this.#count;
  }

  has(index: number): boolean {
    const page = this.#pages.get(pageOf(index));
    if (page === undefined) return false;
    return page.words === undefined || bitOf(page.words, index % PAGE_BITS);
  }

  /** Gives how many of them were not in the set. */
  add(span: Span): number {
    return this.#change(span, (number, within, capacity) => {
      const page = this.#pages.get(number);
      const before = page?.count ?? 0;
      if (before === capacity) return 0;
      if (lengthOf(within) === capacity) {
        this.#pages.set(number, { words: undefined, count: capacity });
        return capacity - before;
      }
      const words = page?.words ?? new Uint32Array(PAGE_BITS / WORD_BITS);
      const count = before + setBits(words, within, true);
      this.#pages.set(number, { words: count === capacity ? undefined : words, count });
      return count - before;
    });
  }

  /** Gives how many of them were in the set. */
  remove(span: Span): number {
    return (
      0 -
      this.#change(span, (number, within, capacity) => {
        const page = this.#pages.get(number);
        if (page === undefined) return 0;
        if (lengthOf(within) === capacity) {
          this.#pages.delete(number);
          return -page.count;
        }
        const words = page.words ?? allOf(capacity);
        const count = page.count - setBits(words, within, false);
        if (count === 0) this.#pages.delete(number);
        else this.#pages.set(number, { words, count });
        return count - page.count;
      })
    );
  }

  /** The first number that is not in the set, from this one on and then from 0; undefined when there is none. */
  nextFree(from: number): number | undefined {
    if (this.#count === this.size) return undefined;
    const pages = Math.ceil(this.size / PAGE_BITS);
    const first = pageOf(from);
    // The first page comes a second time, for what is before `from`.
    for (let step = 0; step <= pages; step++) {
      const number = (first + step) % pages;
      const start = step === 0 ? from % PAGE_BITS : 0;
      const free = this.#freeIn(number, start);
      if (free !== undefined) return number * PAGE_BITS + free;
    }
    return undefined;
  }

  #freeIn(number: number, start: number): number | undefined {
    const capacity = this.#capacity(number);
    const page = this.#pages.get(number);
    if (page === undefined) return start < capacity ? start : undefined;
    const { words } = page;
    if (words === undefined) return undefined;
    for (let index = start; index < capacity;) {
      const word = words[index >> 5] ?? 0;
      const free = ~word & (ALL << (index & 31));
      if (free !== 0) {
        const found = (index & ~31) + 31 - Math.clz32(free & -free);
        return found < capacity ? found : undefined;
      }
      index = (index & ~31) + WORD_BITS;
    }
    return undefined;
  }

  #change({ begin, end }: Span, change: (page: number, within: Span, capacity: number) => number): number {
    let changed = 0;
    for (let number = pageOf(begin); number <= pageOf(end); number++) {
      const first = number * PAGE_BITS;
      const within = { begin: Math.max(0, begin - first), end: Math.min(PAGE_BITS - 1, end - first) };
      changed += change(number, within, this.#capacity(number));
    }
    this.#count += changed;
    return changed;
  }

  #capacity(page: number): number {
    return Math.min(PAGE_BITS, this.size - page * PAGE_BITS);
  }
}

function lengthOf({ begin, end }: Span): number {
  return end - begin + 1;
}

function allOf(capacity: number): Uint32Array {
  const words = new Uint32Array(PAGE_BITS / WORD_BITS);
  setBits(words, { begin: 0, end: capacity - 1 }, true);
  return words;
}

function pageOf(index: number): number {
  return Math.floor(index / PAGE_BITS);
}

function bitOf(words: Uint32Array, index: number): boolean {
  return (((words[index >> 5] ?? 0) >>> (index & 31)) & 1) === 1;
}

/** Gives how many bits have changed. */
function setBits(words: Uint32Array, { begin, end }: Span, on: boolean): number {
  let changed = 0;
  for (let word = begin >> 5; word <= end >> 5; word++) {
    const low = word === begin >> 5 ? begin & 31 : 0;
    const high = word === end >> 5 ? end & 31 : 31;
    const mask = (ALL << low) & (ALL >>> (31 - high));
    const before = words[word] ?? 0;
    const after = on ? before | mask : before & ~mask;
    changed += bitCount(before ^ after);
    words[word] = after;
  }
  return changed;
}

function bitCount(word: number): number {
  let rest = word;
  rest -= (rest >>> 1) & 0x5555_5555;
  rest = (rest & 0x3333_3333) + ((rest >>> 2) & 0x3333_3333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
