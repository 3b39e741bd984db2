import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { largest, leastOf, smallest } from "./extremes.ts";

describe("extremes", () => {
  test.each<[readonly number[], number | undefined, number | undefined]>([
    [[], undefined, undefined],
    [[3], 3, 3],
    [[2, -1, 5, 5], 5, -1],
    [[-Infinity, 0], 0, -Infinity],
  ])("of %j", (values, largestValue, smallestValue) => {
    expect([largest(values), smallest(values)]).toEqual([largestValue, smallestValue]);
  });

  test("of more values than a call can have arguments", () => {
    const values = Array.from({ length: 500_000 }, (_, index) => index);
    expect([largest(values), smallest(values)]).toEqual([499_999, 0]);
  });
});

test("the least of some are the first of all in order, equals as they came", () => {
  const item = fc.record({ rank: fc.integer({ min: 0, max: 9 }), id: fc.nat() });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), fc.integer({ min: -1, max: 70 }), (items, count) => {
      const byRank = (one: { rank: number }, other: { rank: number }) => one.rank - other.rank;
      expect(leastOf(items, count, byRank)).toEqual(items.toSorted(byRank).slice(0, Math.max(0, count)));
    }),
  );
});

test("few of many are found with few comparisons", () => {
  let comparisons = 0;
  const items = Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 100_003);
  const compare = (one: number, other: number): number => {
    comparisons++;
    return one - other;
  };
  expect(leastOf(items, 500, compare)).toHaveLength(500);
  expect(comparisons).toBeLessThan(200_000);
});
