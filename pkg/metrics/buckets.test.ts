import { expect, test } from "vitest";
import { doublingBuckets } from "./buckets.ts";

test.each([
  [0.1, 5, [0.1, 0.2, 0.4, 0.8, 1.6]],
  [0.004, 4, [0.004, 0.008, 0.016, 0.032]],
  [1, 3, [1, 2, 4]],
])("from %d there are %d bounds, each twice the one before", (first, count, bounds) => {
  expect(doublingBuckets(first, count)).toEqual(bounds);
});

test("the bounds have no digits that binary fractions add", () => {
  expect(doublingBuckets(0.1, 14).at(-1)).toBe(819.2);
  expect(doublingBuckets(0.004, 15).at(-1)).toBe(65.536);
});
