import { expect, test } from "vitest";
import { until } from "../../test/harness/until.ts";
import { processHeap } from "./spare-memory.ts";
import { limitYoungGeneration, processYoungGeneration } from "./young-generation.ts";

test("grows while it is small, and again when it has been made small", () => {
  const factors: number[] = [];
  let bytes = 0;
  let collected = (): void => undefined;
  limitYoungGeneration({
    bytes: () => bytes,
    setGrowthFactor: (factor) => factors.push(factor),
    onCollection: (callback) => (collected = callback),
  });
  for (const each of [1, 4, 8.4, 16.8, 16.8, 2, 8, 12]) {
    bytes = each * 1_000_000;
    collected();
  }
  expect(factors).toEqual([1, 2, 1]);
});

test("of this process is known, and its collections are told", async () => {
  let collections = 0;
  processYoungGeneration.onCollection(() => collections++);
  processHeap().shrink();
  await until("a collection is told", () => collections > 0);
  expect(processYoungGeneration.bytes()).toBeGreaterThan(0);
  // What it is anyway.
  processYoungGeneration.setGrowthFactor(2);
});
