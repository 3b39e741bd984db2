import fc from "fast-check";
import { expect, test } from "vitest";
import { forEachInSteps, inOneGo, sortInSteps } from "./steps.ts";

test("every item is visited in order, with pauses in between", () => {
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  const visited: number[] = [];
  const steps = forEachInSteps(items, (item) => visited.push(item));
  let pauses = 0;
  let longest = 0;
  for (let before = 0; steps.next().done !== true; before = visited.length) {
    pauses++;
    longest = Math.max(longest, visited.length - before);
  }
  expect(visited).toEqual(items);
  expect(pauses).toBeGreaterThan(10);
  expect(longest).toBeLessThan(100);
});

test("sorting in steps gives what sorting at once gives, equal ones in their order", () => {
  const values = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3_000, size: "max" });
  fc.assert(
    fc.property(values, (given) => {
      const items = given.map((value, index) => ({ value, index }));
      const byValue = (one: { value: number }, other: { value: number }): number => one.value - other.value;
      expect(inOneGo(sortInSteps(items, byValue))).toEqual(items.toSorted(byValue));
    }),
    { numRuns: 50 },
  );
});

test("sorting pauses", () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ value: (index * 7_919) % 10_007 }));
  let compared = 0;
  let longest = 0;
  const steps = sortInSteps(items, (one, other) => {
    compared++;
    return one.value - other.value;
  });
  for (let before = 0; steps.next().done !== true; before = compared) {
    longest = Math.max(longest, compared - before);
  }
  expect(compared).toBeGreaterThan(100_000);
  expect(longest).toBeLessThan(10_000);
});
