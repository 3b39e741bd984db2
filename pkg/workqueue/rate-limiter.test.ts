import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { namespaceOfKey } from "./line.ts";
import {
  type RateLimiter,
  bucketLimiter,
  controllerLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  maxOfLimiter,
} from "./rate-limiter.ts";

function delays(limiter: RateLimiter<string>, key: string, count: number): number[] {
  return Array.from({ length: count }, () => limiter.delayMs(key));
}

test.each([
  { name: "exponential", limiter: () => exponentialLimiter<string>(1, 1000), first: [1, 2, 4, 8, 16] },
  {
    name: "fast, then slow",
    limiter: () => fastSlowLimiter<string>(5, 10_000, 3),
    first: [5, 5, 5, 10_000, 10_000],
  },
  {
    name: "the longest of several",
    limiter: () => maxOfLimiter(fastSlowLimiter<string>(5, 3000, 3), exponentialLimiter<string>(1, 1000)),
    first: [5, 5, 5, 3000, 3000],
  },
])("$name: delays and failures are per key and forgotten together", ({ limiter: create, first }) => {
  const limiter = create();
  expect(delays(limiter, "one", 5)).toEqual(first);
  expect(limiter.failures("one")).toBe(5);
  expect(delays(limiter, "two", 2)).toEqual(first.slice(0, 2));
  expect(limiter.failures("two")).toBe(2);
  limiter.forget("one");
  expect(limiter.failures("one")).toBe(0);
  expect(limiter.delayMs("one")).toBe(first[0]);
  expect(limiter.failures("two")).toBe(2);
});

test.each([
  { baseMs: 1, maxMs: 1_000_000, after: 5, delayMs: 32 },
  { baseMs: 1, maxMs: 1_000_000, after: 1000, delayMs: 1_000_000 },
  { baseMs: 60_000, maxMs: 3_600_000_000, after: 2, delayMs: 240_000 },
  { baseMs: 60_000, maxMs: 3_600_000_000, after: 1100, delayMs: 3_600_000_000 },
])("exponential from $baseMs to $maxMs: after $after failures the delay is $delayMs", (row) => {
  const limiter = exponentialLimiter<string>(row.baseMs, row.maxMs);
  delays(limiter, "key", row.after);
  expect(limiter.delayMs("key")).toBe(row.delayMs);
});

test("a bucket lets its burst pass, then hands out delays at its rate, and refills up to the burst", async () => {
  const clock = new VirtualClock();
  const limiter = bucketLimiter<string>(clock, 10, 3);
  expect(delays(limiter, "any", 5)).toEqual([0, 0, 0, 100, 200]);
  await clock.advanceBy(250);
  expect(limiter.delayMs("any")).toBeCloseTo(50);
  await clock.advanceBy(60_000);
  expect(delays(limiter, "any", 4)).toEqual([0, 0, 0, 100]);
  expect(limiter.failures("any")).toBe(0);
});

test("the default of controllers: 5 ms doubling to 1000 s per key, 10 a second with a burst of 100 overall", () => {
  const perKey = controllerLimiter<string>({}, new VirtualClock());
  expect(delays(perKey, "key", 4)).toEqual([5, 10, 20, 40]);
  expect(delays(perKey, "key", 40).at(-1)).toBe(1_000_000);

  const overall = controllerLimiter<string>({}, new VirtualClock());
  for (let index = 0; index < 100; index++) expect(overall.delayMs(`key-${index}`)).toBe(5);
  expect(overall.delayMs("key-100")).toBeCloseTo(100);
  expect(overall.delayMs("key-101")).toBeCloseTo(200);
});

test("delays of a controller's own, with and without a bucket for all keys", () => {
  const own = { firstMs: 1_000, longestMs: 60_000 };
  const alone = controllerLimiter<string>({ ...own, unlimited: true }, new VirtualClock());
  expect(delays(alone, "key", 8).at(-1)).toBe(60_000);
  for (let index = 0; index < 200; index++) expect(alone.delayMs(`key-${index}`)).toBe(1_000);
  const shared = controllerLimiter<string>(own, new VirtualClock());
  for (let index = 0; index < 110; index++) expect(shared.delayMs(`key-${index}`)).toBe(1_000);
  expect(shared.delayMs("key-110")).toBeCloseTo(1_100);
});

describe("a bucket with groups", () => {
  test("lets a quiet namespace retry soon while thousands of keys fail in another", () => {
    const clock = new VirtualClock();
    const limiter = bucketLimiter(clock, 10, 100, namespaceOfKey);
    for (let index = 0; index < 10_000; index++) limiter.delayMs(`busy/${index}`);
    expect(limiter.delayMs("busy/more")).toBeCloseTo(990_100, 0);
    expect(delays(limiter, "quiet/a", 3)).toEqual([200, 400, 600]);
    expect(limiter.delayMs("third/a")).toBe(300);
  });

  test("forgets groups that have paid off their debt", async () => {
    const clock = new VirtualClock();
    const limiter = bucketLimiter(clock, 10, 0, namespaceOfKey);
    for (let index = 0; index < 50; index++) limiter.delayMs(`ns-${index}/a`);
    await clock.advanceBy(60_000);
    expect(delays(limiter, "ns/a", 2)).toEqual([100, 200]);
    expect(limiter.delayMs("other/a")).toBe(200);
  });

  const call = fc.record({ group: fc.nat(5), pauseMs: fc.oneof(fc.constant(0), fc.nat(300)) });
  const load = fc.array(call, { maxLength: 200 });

  test("never makes a key wait longer than one without groups, and as long with one group", async () => {
    await fc.assert(
      fc.asyncProperty(load, fc.nat(10), async (calls, burst) => {
        const clock = new VirtualClock();
        const plain = bucketLimiter<string>(clock, 10, burst);
        const one = bucketLimiter<string>(clock, 10, burst, () => "");
        const grouped = bucketLimiter<string>(clock, 10, burst, namespaceOfKey);
        for (const { group, pauseMs } of calls) {
          const key = `ns-${group}/a`;
          const plainMs = plain.delayMs(key);
          expect(one.delayMs(key)).toBeCloseTo(plainMs);
          expect(grouped.delayMs(key)).toBeLessThanOrEqual(plainMs + 1e-6);
          await clock.advanceBy(pauseMs);
        }
      }),
    );
  });

  test("grants no group more than the whole rate, and all of them together no more than the stated bound", async () => {
    await fc.assert(
      fc.asyncProperty(load, async (calls) => {
        const clock = new VirtualClock();
        const limiter = bucketLimiter<string>(clock, 10, 0, namespaceOfKey);
        const dueMs: number[] = [];
        const groups = new Set<number>();
        for (const { group, pauseMs } of calls) {
          groups.add(group);
          dueMs.push(clock.monotonicMs() + limiter.delayMs(`ns-${group}/a`));
          await clock.advanceBy(pauseMs);
        }
        dueMs.sort((a, b) => a - b);
        let harmonic = 0;
        for (let count = 1; count <= groups.size; count++) harmonic += 1 / count;
        const windowMs = 2_000;
        for (const fromMs of dueMs) {
          const inWindow = dueMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + windowMs).length;
          // One more per group for the edges of the window.
          expect(inWindow).toBeLessThanOrEqual((windowMs / 100) * harmonic + groups.size);
        }
      }),
    );
  });
});
