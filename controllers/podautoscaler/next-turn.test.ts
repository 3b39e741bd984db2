import { describe, expect, test } from "vitest";
import { untilNextTurnMs } from "./next-turn.ts";

const PERIOD = 15_000;

describe("the next turn", () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `team/web-${index}`);

  test("comes within a period, and not at once", () => {
    for (const nowMs of [0, 7_123.5, 1e12]) {
      const waits = keys.map((key) => untilNextTurnMs(key, PERIOD, nowMs));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(PERIOD / 100);
      expect(Math.max(...waits)).toBeLessThanOrEqual(PERIOD);
    }
  });

  test("is one period after the last one", () => {
    for (const key of keys.slice(0, 100)) {
      const first = untilNextTurnMs(key, PERIOD, 5_000);
      expect(untilNextTurnMs(key, PERIOD, 5_000 + first)).toBeCloseTo(PERIOD, 3);
    }
  });

  test("is not the same for all: in each second about as many have theirs", () => {
    const seconds = new Map<number, number>();
    for (const key of keys) {
      const second = Math.floor(untilNextTurnMs(key, PERIOD, 0) / 1_000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    const fair = keys.length / 15;
    for (let second = 1; second < 15; second++) {
      expect(seconds.get(second)).toBeGreaterThan(fair * 0.8);
      expect(seconds.get(second)).toBeLessThan(fair * 1.2);
    }
  });

  test("is that of others, too: there are ten in a second, so that one wakes up ten times and not for each", () => {
    const waits = new Set(keys.map((key) => Math.round(untilNextTurnMs(key, PERIOD, 0))));
    expect(waits.size).toBeLessThanOrEqual(10 * (PERIOD / 1_000));
    expect(waits.size).toBeGreaterThan(9 * (PERIOD / 1_000));
  });

  test("is at once where there is no period", () => {
    expect(untilNextTurnMs("team/web", 0, 5)).toBe(0);
  });
});
