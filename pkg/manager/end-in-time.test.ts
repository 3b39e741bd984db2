import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { endInTime } from "./end-in-time.ts";

const untilAborted = async (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

test("what has ended in time leaves no timer behind, for which the process would go on", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const set = { run: untilAborted, stillRunning: () => [] };
  const clean = endInTime(set, { limitMs: 30_000, clock, log: silentLogger }, stop.signal);
  stop.abort(new Error("stop"));
  expect(await clean).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});
