/** The largest of any number of values; undefined when there is none. Arguments cannot be so many: the stack is finite. */
export function largest(values: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const value of values) if (found === undefined || value > found) found = value;
  return found;
}

/** The smallest of any number of values; undefined when there is none. */
export function smallest(values: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const value of values) if (found === undefined || value < found) found = value;
  return found;
}

/**
 * The first `count` of what toSorted would give, those that are equal in the order in which they came. It takes as long
 * as looking at each item once where `count` is small, and never longer than sorting all of them.
 */
export function leastOf<T>(
  items: readonly T[],
  count: number,
  compare: (one: T, other: T) => number,
): readonly T[] {
  if (count <= 0) return [];
  if (count >= items.length / 2) return items.toSorted(compare).slice(0, count);
  let least: T[] = [];
  let limit: T | undefined;
  for (const item of items) {
    // What is not less than the last of those that are sure to be enough came too late.
    if (limit !== undefined && compare(item, limit) >= 0) continue;
    least.push(item);
    if (least.length < 2 * count) continue;
    least = least.toSorted(compare).slice(0, count);
    limit = least.at(-1);
  }
  return least.toSorted(compare).slice(0, count);
}
