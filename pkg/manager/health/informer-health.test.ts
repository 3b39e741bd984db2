import { expect, test } from "vitest";
import type { InformerHealth } from "../../cache/informer/informer-factory.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { informerCheck } from "./informer-health.ts";

const MINUTE_MS = 60_000;
const fresh: InformerHealth = {
  name: "pods",
  synced: true,
  silentMs: 0,
  lastError: undefined,
  failure: undefined,
  handlerFailures: 0,
};

test("a cache has time to be filled, counted from when it was first seen", async () => {
  const clock = new VirtualClock();
  let informers: readonly InformerHealth[] = [fresh];
  const check = informerCheck({ health: () => informers, clock, maxSyncMs: 5 * MINUTE_MS });
  expect(check.check()).toBeUndefined();
  await clock.advanceBy(60 * MINUTE_MS);
  informers = [fresh, { ...fresh, name: "nodes", synced: false }];
  expect(check.check()).toBeUndefined();
  await clock.advanceBy(5 * MINUTE_MS + 1);
  expect(check.check()).toBe("nodes is not filled yet");
});

test.each([
  [15 * MINUTE_MS, undefined],
  [16 * MINUTE_MS, "pods has heard nothing for 16 minutes"],
])("after %d ms of silence: %s", (silentMs, problem) => {
  const health = (): readonly InformerHealth[] => [{ ...fresh, silentMs }];
  const check = informerCheck({ health, clock: new VirtualClock(), maxSyncMs: MINUTE_MS });
  expect(check.check()).toBe(problem);
});

test("a cache that lacks something says so at once, and no longer than that", () => {
  let failure: unknown = new Error("poison");
  const health = (): readonly InformerHealth[] => [{ ...fresh, failure }];
  const check = informerCheck({ health, clock: new VirtualClock(), maxSyncMs: MINUTE_MS });
  expect(check.check()).toBe("pods has failed, and starts anew");
  failure = undefined;
  expect(check.check()).toBeUndefined();
});
