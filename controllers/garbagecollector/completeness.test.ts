import { expect, test } from "vitest";
import { Completeness } from "./completeness.ts";

const WAITS = 100;

test("owners wait for lists that are on their way, and then until the graph has had all of them", () => {
  const monitors: { filled: number | undefined } = { filled: undefined };
  const work = { length: 0 };
  const complete = new Completeness(monitors, { work });
  const after = (filled: number | undefined, length: number): number | undefined => {
    Object.assign(monitors, { filled });
    Object.assign(work, { length });
    return complete.waitMs();
  };
  expect(after(undefined, 0)).toBe(WAITS);
  expect(after(1, 7)).toBe(WAITS);
  expect(after(1, 0)).toBeUndefined();
  // What happens from then on comes in its turn.
  expect(after(1, 7)).toBeUndefined();
  expect(after(undefined, 0)).toBe(WAITS);
  // Nobody need have asked in between.
  expect(after(1, 0)).toBeUndefined();
  expect(after(2, 7)).toBe(WAITS);
  expect(after(2, 0)).toBeUndefined();
});
