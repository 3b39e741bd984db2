import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IndexRanges } from "./index-ranges.ts";

// upstream: pkg/controller/job/indexed_job_utils_test.go#TestIntervalsHaveIndex
test.each([
  ["", 4, false],
  ["2-4,5-7", 1, false],
  ["2-4,6-8", 9, false],
  ["2-4,6-8", 5, false],
  ["2-4,6-8", 2, true],
  ["2-4,6-8", 8, true],
])("%s has %i: %s", (text, index, expected) => {
  expect(IndexRanges.parse(text, 10).has(index)).toBe(expected);
});

describe("a text", () => {
  test.each([
    ["0-5,8-10", 8, "0-5"],
    ["0-5,8-10", 10, "0-5,8,9"],
    ["0,4,5,10-12", 13, "0,4,5,10-12"],
    ["0,1-foo,bar", 4, "0"],
    ["1,2,3", 4, "1-3"],
    ["", 4, ""],
    ["7", 7, ""],
  ])("%s of %i indexes is %s", (text, completions, expected) => {
    expect(IndexRanges.parse(text, completions).toString()).toBe(expected);
  });

  test("says what the set holds, whatever it holds", () => {
    const sets = fc.uniqueArray(fc.nat(60));
    fc.assert(
      fc.property(sets, sets, fc.nat(20), (one, other, count) => {
        const [a, b] = [IndexRanges.of(one), IndexRanges.of(other)];
        const both = new Set([...one, ...other]);
        const union = IndexRanges.parse(a.with(b).toString(), 100);
        expect(union.size).toBe(both.size);
        for (let index = 0; index < 62; index++) expect(union.has(index)).toBe(both.has(index));
        expect(a.overlap(b)).toBe(one.filter((index) => other.includes(index)).length);
        const missing = Array.from({ length: 50 }, (_, index) => index).filter((index) => !both.has(index));
        expect(union.firstMissing(count, 50)).toEqual(missing.slice(0, count));
      }),
    );
  });
});
