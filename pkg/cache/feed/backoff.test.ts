import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Backoff } from "./backoff.ts";

const pauses = (backoff: Backoff, count: number): number[] =>
  Array.from({ length: count }, () => backoff.nextMs());

test("pauses double from 0.8 s to 30 s", () => {
  const backoff = new Backoff(new VirtualClock(), { next: () => 0 });
  expect(pauses(backoff, 8)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

test("pauses are lengthened at random by up to as much again", () => {
  const backoff = new Backoff(new VirtualClock(), { next: () => 0.5 });
  expect(pauses(backoff, 3)).toEqual([1_200, 2_400, 4_800]);
});

test("after two quiet minutes it starts over, and not before", async () => {
  const clock = new VirtualClock();
  const backoff = new Backoff(clock, { next: () => 0 });
  pauses(backoff, 3);
  await clock.advanceBy(120_000);
  expect(backoff.nextMs()).toBe(6_400);
  await clock.advanceBy(120_001);
  expect(backoff.nextMs()).toBe(800);
});
