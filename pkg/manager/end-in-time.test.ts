import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
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

test("controllers that fail while they end leave no timer behind either", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const run = async (signal: AbortSignal): Promise<void> => {
    await untilAborted(signal);
    throw new Error("torn");
  };
  const ending = endInTime(
    { run, stillRunning: () => [] },
    { limitMs: 30_000, clock, log: silentLogger },
    stop.signal,
  );
  stop.abort(new Error("stop"));
  await expect(ending).rejects.toThrow("torn");
  expect(clock.pendingTimers).toBe(0);
});

test("who has not ended in time is told, and what it fails with afterwards too", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const lines: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (error, message, fields) => lines.push([message, error, fields?.["controllers"]].join()),
  };
  const end = Promise.withResolvers<void>();
  const set = { run: async () => end.promise, stillRunning: () => ["slow"] };
  const ending = endInTime(set, { limitMs: 30_000, clock, log }, stop.signal);
  stop.abort(new Error("stop"));
  await clock.advanceBy(30_000);
  expect(await ending).toBe(false);
  end.reject(new Error("torn"));
  await clock.advanceBy(0);
  expect(lines).toEqual([
    "Controller shutdown timeout reached,,slow",
    "A controller failed after the shutdown timeout,Error: torn,",
  ]);
});
