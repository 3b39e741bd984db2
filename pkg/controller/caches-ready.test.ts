import { expect, test } from "vitest";
import { VirtualClock, settle } from "../testing/virtual-clock.ts";
import { whenSynced } from "./caches-ready.ts";

test("resolves once every cache has synced, and at once when all have", async () => {
  const clock = new VirtualClock();
  const synced = [false, false];
  const ready = whenSynced(
    clock,
    synced.map((_, index) => ({ hasSynced: () => synced[index] ?? false })),
  );
  let resolved = false;
  const waiting = ready(new AbortController().signal).then(() => (resolved = true));
  synced[0] = true;
  await clock.advanceBy(1000);
  expect(resolved).toBe(false);
  synced[1] = true;
  await clock.advanceBy(100);
  await waiting;
  expect(clock.pendingTimers).toBe(0);
  await ready(new AbortController().signal);
});

test("rejects with the reason of an abort, before and during the wait", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const waiting = whenSynced(clock, [{ hasSynced: () => false }])(stop.signal);
  const rejected = expect(waiting).rejects.toThrow("stopped");
  await settle();
  stop.abort(new Error("stopped"));
  await rejected;
  await expect(whenSynced(clock, [])(stop.signal)).rejects.toThrow("stopped");
  expect(clock.pendingTimers).toBe(0);
});

test("what can tell that it has synced is not waited for any longer", async () => {
  const clock = new VirtualClock();
  let synced = false;
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  const cache = { hasSynced: () => synced, whenSynced: async () => told.then(() => synced) };
  const waiting = whenSynced(clock, [cache])(new AbortController().signal);
  await settle();
  expect(clock.pendingTimers).toBe(0);
  synced = true;
  tell();
  await waiting;
});

test("what tells that it never will sync is asked again, until an abort", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const asked: boolean[] = [];
  const whenAsked = async (): Promise<boolean> => asked.push(false) < 0;
  const waiting = whenSynced(clock, [{ hasSynced: () => false, whenSynced: whenAsked }])(stop.signal);
  const rejected = expect(waiting).rejects.toThrow("stopped");
  await clock.advanceBy(1_000);
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.length).toBeLessThan(20);
  stop.abort(new Error("stopped"));
  await rejected;
});
