import { expect, test } from "vitest";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import {
  type RateLimiter,
  bucketLimiter,
  defaultControllerLimiter,
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
  const perKey = defaultControllerLimiter<string>(new VirtualClock());
  expect(delays(perKey, "key", 4)).toEqual([5, 10, 20, 40]);
  expect(delays(perKey, "key", 40).at(-1)).toBe(1_000_000);

  const overall = defaultControllerLimiter<string>(new VirtualClock());
  for (let index = 0; index < 100; index++) expect(overall.delayMs(`key-${index}`)).toBe(5);
  expect(overall.delayMs("key-100")).toBeCloseTo(100);
  expect(overall.delayMs("key-101")).toBeCloseTo(200);
});
