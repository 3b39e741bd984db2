import { parseInt64 } from "../../pkg/api/int64.ts";

/** Completion indexes in the text form of a Job's status, such as "0,2-5,9": ascending, and never touching one another. */
export class IndexRanges {
  static readonly none = new IndexRanges([]);
  readonly #ranges: readonly Range[];
  /** How many indexes there are. */
  readonly size: number;

  private constructor(ranges: readonly Range[]) {
    this.#ranges = ranges;
    this.size = ranges.reduce((total, { first, last }) => total + last - first + 1, 0);
  }

  /** Leaves out what is not an index below `completions`: those were indexes before the Job became smaller. */
  static parse(text: string, completions: number): IndexRanges {
    const ranges: Range[] = [];
    for (const part of text === "" ? [] : text.split(",")) {
      const [first = NaN, last = first] = part.split("-").map(parseIndex);
      if (Number.isNaN(first) || Number.isNaN(last)) continue;
      if (first >= completions) break;
      const range = { first, last: Math.min(last, completions - 1) };
      const before = ranges.at(-1);
      if (before?.last === first - 1) ranges[ranges.length - 1] = { first: before.first, last: range.last };
      else ranges.push(range);
    }
    return new IndexRanges(ranges);
  }

  static of(indexes: Iterable<number>): IndexRanges {
    const singles = [...new Set(indexes)]
      .toSorted((a, b) => a - b)
      .map((index) => ({ first: index, last: index }));
    return IndexRanges.none.#merged(singles);
  }

  has(index: number): boolean {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.last ?? 0) >= index) high = middle;
      else low = middle + 1;
    }
    const range = this.#ranges[low];
    return range !== undefined && range.first <= index;
  }

  with(other: IndexRanges): IndexRanges {
    return other.size === 0 ? this : this.#merged(other.#ranges);
  }

  /** How many indexes are in both. */
  overlap(other: IndexRanges): number {
    let count = 0;
    let [mine, theirs] = [0, 0];
    for (;;) {
      const [a, b] = [this.#ranges[mine], other.#ranges[theirs]];
      if (a === undefined || b === undefined) return count;
      count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last <= b.last) mine++;
      if (b.last <= a.last) theirs++;
    }
  }

  /** The first `count` indexes below `completions` that are not in here. */
  firstMissing(count: number, completions: number): readonly number[] {
    const missing: number[] = [];
    let candidate = 0;
    for (const { first, last } of [...this.#ranges, { first: completions, last: completions }]) {
      for (; candidate < Math.min(first, completions) && missing.length < count; candidate++)
        missing.push(candidate);
      candidate = Math.max(candidate, last + 1);
    }
    return missing;
  }

  /** Two neighbours are written "1,2", more of them "1-3". */
  toString(): string {
    return this.#ranges
      .map(({ first, last }) => {
        if (first === last) return `${first}`;
        return `${first}${last === first + 1 ? "," : "-"}${last}`;
      })
      .join(",");
  }

  #merged(others: readonly Range[]): IndexRanges {
    const merged: Range[] = [];
    let [mine, theirs] = [0, 0];
    for (;;) {
      const [a, b] = [this.#ranges[mine], others[theirs]];
      const next = b === undefined || (a !== undefined && a.first < b.first) ? a : b;
      if (next === undefined) return new IndexRanges(merged);
      if (next === a) mine++;
      else theirs++;
      const last = merged.at(-1);
      if (last === undefined || next.first > last.last + 1) merged.push(next);
      else if (next.last > last.last) merged[merged.length - 1] = { first: last.first, last: next.last };
    }
  }
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function parseIndex(text: string): number {
  return /^[0-9]+$/.test(text) ? Number(parseInt64(text) ?? NaN) : NaN;
}
