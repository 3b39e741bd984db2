import { expect, test } from "vitest";
import { longestStretchMs } from "./cpu-time.ts";

function compute(ms: number): void {
  const start = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(start);
    if (user + system >= ms * 1_000) return;
  }
}

test("the longest stretch is what is computed between two awaits, not all of it", async () => {
  const stretch = await longestStretchMs(async () => {
    for (let step = 0; step < 20; step++) {
      await Promise.resolve();
      compute(5);
    }
    await Promise.resolve();
    compute(30);
  });
  expect(stretch).toBeGreaterThanOrEqual(30);
  expect(stretch).toBeLessThan(100);
});
