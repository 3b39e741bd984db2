/** Values in one piece: what takes a few milliseconds, whatever is done with them. */
export const MOST_AT_ONCE = 1_000;

/** Whether going through a JSON value is work for several steps. Of a large one, only the beginning is looked at. */
export function isLarge(value: unknown): boolean {
  return countDown(value, MOST_AT_ONCE) < 0;
}

/** What is left of a number when all values in this one are taken off it; below 0 as soon as it does not suffice. */
export function countDown(value: unknown, count: number): number {
  let left = count - 1;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (const member of value) {
      if (left < 0) break;
      left = countDown(member, left);
    }
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = countDown((value as Readonly<Record<string, unknown>>)[key], left);
  }
  return left;
}
