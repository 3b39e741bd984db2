import { expect, test } from "vitest";
import { jitter, randomBelow, randomUuid, seededRandom } from "./random.ts";

test("equal seeds give equal sequences, others differ", () => {
  const first = seededRandom(42);
  const again = seededRandom(42);
  const other = seededRandom(43);
  const take = (random: { next(): number }): number[] => Array.from({ length: 100 }, () => random.next());
  const sequence = take(first);
  expect(take(again)).toEqual(sequence);
  expect(take(other)).not.toEqual(sequence);
});

test("values are in [0, 1) and spread evenly", () => {
  const random = seededRandom(7);
  const buckets = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 100_000; draw++) {
    const bucket = randomBelow(random, 10);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test("jitter only lengthens, by at most the factor", () => {
  const random = seededRandom(1);
  for (let draw = 0; draw < 1_000; draw++) {
    const value = jitter(random, 100, 0.2);
    expect(value).toBeGreaterThanOrEqual(100);
    expect(value).toBeLessThan(120);
  }
});

test("UUIDs are version 4 and distinct", () => {
  const random = seededRandom(3);
  const uuids = Array.from({ length: 1_000 }, () => randomUuid(random));
  expect(new Set(uuids).size).toBe(1_000);
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
