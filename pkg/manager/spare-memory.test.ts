import { beforeEach, expect, test } from "vitest";
import { silentLogger } from "../log/logger.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { processHeap, SpareMemory } from "./spare-memory.ts";

let clock: VirtualClock;
let shrunk: number;
let usedBytes: number;
let spare: SpareMemory;
beforeEach(() => {
  clock = new VirtualClock();
  shrunk = 0;
  usedBytes = 20 << 20;
  spare = new SpareMemory({ usedBytes: () => usedBytes, shrink: () => shrunk++ }, clock, silentLogger);
});

test("is given back once, when nothing has begun for a while", async () => {
  spare.releaseLater();
  await clock.advanceBy(14_000);
  spare.releaseLater();
  await clock.advanceBy(14_000);
  expect(shrunk).toBe(0);
  await clock.advanceBy(100_000);
  expect(shrunk).toBe(1);
});

test("is kept when the heap is so large that nobody could wait for its collection", async () => {
  usedBytes = 500 << 20;
  spare.releaseLater();
  await clock.advanceBy(100_000);
  expect(shrunk).toBe(0);
});

test("is kept when the process ends before", async () => {
  spare.releaseLater();
  spare.stop();
  await clock.advanceBy(100_000);
  expect(shrunk).toBe(0);
});

test("of this process can be given back", () => {
  const heap = processHeap();
  const waste = (): number => Array.from({ length: 100_000 }, (_, index) => ({ index })).length;
  expect(waste()).toBe(100_000);
  const fullBytes = heap.usedBytes();
  heap.shrink();
  expect(heap.usedBytes()).toBeLessThan(fullBytes);
});
