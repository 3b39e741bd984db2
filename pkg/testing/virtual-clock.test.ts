import { expect, test } from "vitest";
import { sleep, withDeadline } from "../clock/wait.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("timers fire in order of due time, and of creation when those are equal", async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  clock.setTimer(20, () => fired.push("b"));
  clock.setTimer(10, () => fired.push("a"));
  clock.setTimer(20, () => fired.push("c"));
  clock.setTimer(15, () => fired.push("never")).cancel();
  await clock.advanceBy(19);
  expect(fired).toEqual(["a"]);
  await clock.advanceBy(1);
  expect(fired).toEqual(["a", "b", "c"]);
  expect(clock.monotonicMs()).toBe(20);
});

test("promises settle before the next timer fires", async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  clock.setTimer(1, () => void Promise.resolve().then(() => seen.push("promise")));
  clock.setTimer(1, () => seen.push("timer"));
  await clock.advanceBy(1);
  expect(seen).toEqual(["promise", "timer"]);
});

test("a jump of the wall clock moves no timer", async () => {
  const clock = new VirtualClock(1_000);
  let fired = false;
  clock.setTimer(10, () => (fired = true));
  clock.jumpWallClock(-500);
  expect(clock.nowMs()).toBe(500);
  await clock.advanceBy(9);
  expect(fired).toBe(false);
  await clock.advanceBy(1);
  expect(fired).toBe(true);
});

test("sleep ends early with the reason of the abort and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const outcome = sleep(clock, 1_000, controller.signal).catch((error: unknown) => error);
  await clock.advanceBy(10);
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await outcome).toBe(reason);
  expect(clock.pendingTimers).toBe(0);
});

test("a deadline aborts the work with a DeadlineError", async () => {
  const clock = new VirtualClock();
  const outcome = withDeadline(clock, { limitMs: 50, what: "the work" }, async (signal) =>
    sleep(clock, 100, signal),
  ).catch((error: unknown) => error);
  await clock.advanceBy(50);
  expect(String(await outcome)).toContain("the work took longer than 50 ms");
  expect(clock.pendingTimers).toBe(0);
});

test("runUntil says which condition did not come true", async () => {
  const clock = new VirtualClock();
  clock.setTimer(100, () => undefined);
  await expect(clock.runUntil(() => false, 50)).rejects.toThrow("not within 50 virtual ms");
});
