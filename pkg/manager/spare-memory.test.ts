import { beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../log/logger.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Heap, processHeap, SpareMemory } from "./spare-memory.ts";

let clock: VirtualClock;
let shrunk: number;
let usedBytes: number;
let allocatedBytes: number;
let spare: SpareMemory;
beforeEach(() => {
  clock = new VirtualClock();
  shrunk = 0;
  usedBytes = 20 << 20;
  allocatedBytes = 100 << 20;
  spare = new SpareMemory(
    heapWith(() => void shrunk++),
    clock,
    silentLogger,
  );
});

test("is given back, when nothing has begun for a while", async () => {
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

describe("what a burst of work has left", () => {
  const LEFT = 20 << 20;
  beforeEach(async () => {
    spare = new SpareMemory(heapWith(shrink), clock, silentLogger);
    spare.releaseLater();
    await clock.advanceBy(15_000);
    expect(shrunk).toBe(1);
  });

  function shrink(): void {
    shrunk++;
    usedBytes = LEFT;
  }

  function work(leavesMiB: number): void {
    usedBytes = LEFT + (leavesMiB << 20);
    allocatedBytes += 200 << 20;
  }

  test("is given back when the work is done", async () => {
    work(10);
    await clock.advanceBy(15_000);
    work(20);
    await clock.advanceBy(15_000);
    expect(shrunk).toBe(1);
    await clock.advanceBy(15_000);
    expect(shrunk).toBe(2);
  });

  test("and of each burst after it", async () => {
    for (const burst of [2, 3, 4]) {
      work(20);
      await clock.advanceBy(30_000);
      expect(shrunk).toBe(burst);
    }
  });

  test("is kept while the work goes on", async () => {
    for (let round = 0; round < 20; round++) {
      // As much is found to be garbage meanwhile.
      work(20);
      await clock.advanceBy(15_000);
    }
    expect(shrunk).toBe(1);
  });

  test("is kept when it is little", async () => {
    work(15);
    await clock.advanceBy(600_000);
    expect(shrunk).toBe(1);
  });

  test("is not looked for again and again where it is no garbage", async () => {
    spare.stop();
    spare = new SpareMemory(
      heapWith(() => void shrunk++),
      clock,
      silentLogger,
    );
    spare.releaseLater();
    await clock.advanceBy(15_000);
    expect(shrunk).toBe(2);
    work(20);
    await clock.advanceBy(600_000);
    expect(shrunk).toBe(3);
  });

  test("is kept once the process ends", async () => {
    spare.stop();
    work(20);
    await clock.advanceBy(100_000);
    expect(shrunk).toBe(1);
  });
});

test("of this process can be given back", () => {
  const heap = processHeap();
  const waste = (): number => Array.from({ length: 100_000 }, (_, index) => ({ index })).length;
  expect(waste()).toBe(100_000);
  const fullBytes = heap.usedBytes();
  heap.shrink();
  expect(heap.usedBytes()).toBeLessThan(fullBytes);
  expect(heap.allocatedBytes()).toBeGreaterThan(fullBytes);
});

function heapWith(shrink: () => void): Heap {
  return { usedBytes: () => usedBytes, allocatedBytes: () => allocatedBytes, shrink };
}
