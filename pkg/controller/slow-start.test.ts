import { expect, test } from "vitest";
import { settle } from "../testing/virtual-clock.ts";
import { slowStartBatch } from "./slow-start.ts";

const refused = new Error("quota");

test.each([
  { name: "all fail", count: 10, limit: 0, successes: 0, errors: 1, calls: 1 },
  { name: "all succeed", count: 10, limit: 10, successes: 10, errors: 0, calls: 10 },
  { name: "some succeed", count: 10, limit: 5, successes: 5, errors: 2, calls: 7 },
  { name: "nothing to do", count: 0, limit: 0, successes: 0, errors: 0, calls: 0 },
  { name: "a negative count", count: -3, limit: 0, successes: 0, errors: 0, calls: 0 },
  { name: "no first batch", count: 5, initial: 0, limit: 5, successes: 0, errors: 0, calls: 0 },
  { name: "a larger first batch", count: 10, initial: 3, limit: 0, successes: 0, errors: 3, calls: 3 },
])("$name: after a batch with a failure no other is started", async (row) => {
  let calls = 0;
  const outcome = await slowStartBatch(row.count, row.initial ?? 1, async () => {
    if (++calls > row.limit) throw refused;
  });
  expect(calls).toBe(row.calls);
  expect(outcome).toEqual({
    successes: row.successes,
    errors: Array.from({ length: row.errors }, () => refused),
  });
});

test("batches double up to the largest, and the calls of a batch run side by side", async () => {
  const batches: number[][] = [];
  let waiting: { readonly index: number; readonly end: () => void }[] = [];
  const running = slowStartBatch(
    17,
    1,
    async (index) => new Promise<void>((end) => waiting.push({ index, end })),
    { largest: 4 },
  );
  await settle();
  while (waiting.length > 0) {
    batches.push(waiting.map(({ index }) => index));
    const batch = waiting;
    waiting = [];
    for (const { end } of batch) end();
    await settle();
  }
  expect(batches).toEqual([[0], [1, 2], [3, 4, 5, 6], [7, 8, 9, 10], [11, 12, 13, 14], [15, 16]]);
  expect(await running).toEqual({ successes: 17, errors: [] });
});

test.each<[string, readonly number[], readonly (readonly number[])[]]>([
  ["one that always fails holds nobody up", [3], [[0], [1, 2], [3, 4, 5, 6], [7], [8, 9]]],
  ["nor do two at the start", [0, 1], [[0], [1], [2], [3, 4], [5, 6, 7, 8], [9]]],
  ["three in a row end it", [0, 1, 2], [[0], [1], [2]]],
  ["and three of one batch", [3, 4, 6], [[0], [1, 2], [3, 4, 5, 6]]],
  ["two of one batch and one after them", [3, 4, 7], [[0], [1, 2], [3, 4, 5, 6], [7]]],
  ["but not when something went well in between", [0, 1, 3, 4], [[0], [1], [2], [3, 4], [5], [6, 7], [8, 9]]],
])("where two failures are put up with: %s", async (_case, failing, expected) => {
  const batches: number[][] = [];
  let settled = true;
  const outcome = await slowStartBatch(
    10,
    1,
    async (index) => {
      // All calls of a batch begin before any of them ends.
      if (settled) batches.push([]);
      settled = false;
      batches.at(-1)?.push(index);
      await Promise.resolve();
      settled = true;
      if (failing.includes(index)) throw refused;
    },
    { failures: 3 },
  );
  expect(batches).toEqual(expected);
  const made = expected.flat();
  const errors = made.filter((index) => failing.includes(index)).map(() => refused);
  expect(outcome).toEqual({ successes: made.length - errors.length, errors });
});
