import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { PartialObject, Stored } from "../../api/object.ts";
import { sleep } from "../../clock/wait.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { follow, type Source, type Wish } from "./source.ts";

interface Stage {
  readonly clock: VirtualClock;
  readonly woken: readonly string[];
  /** How long was waited after each failure. */
  readonly pauses: readonly unknown[];
  readonly ended: Promise<void>;
  readonly signal: AbortSignal;
  stop(): void;
}

const stored = (name: string): Stored<PartialObject> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name,
    namespace: "n",
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

function stage(sourceOver: (clock: VirtualClock) => Source): Stage {
  const clock = new VirtualClock();
  const [woken, pauses]: [string[], unknown[]] = [[], []];
  const log: Logger = { ...silentLogger, error: (_, __, fields) => pauses.push(fields?.["pauseMs"]) };
  const controller = new AbortController();
  const { signal } = controller;
  const queue = { add: (key: string) => void woken.push(key) };
  const all = { list: () => ["b", "c"].map(stored) };
  const ended = follow({ source: sourceOver(clock), env: { clock, log }, queue, all }, signal);
  return { clock, woken, pauses, ended, signal, stop: () => controller.abort(new Error("stop")) };
}

async function* failing(wish?: Wish): AsyncGenerator<Wish> {
  if (wish !== undefined) yield wish;
  throw new Error("torn");
}

test("what fails again and again is begun again later each time", async () => {
  const { clock, pauses, woken, ended, stop } = stage(() => () => failing({ namespace: "n", name: "a" }));
  await clock.advanceBy(200_000);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(woken).toEqual(pauses.map(() => "n/a"));
  stop();
  await ended;
  expect(clock.pendingTimers).toBe(0);
});

test("failures of long ago do not count", async () => {
  const { clock, pauses, ended, stop } = stage((time) => {
    let begun = 0;
    return async function* () {
      if (begun++ === 6) await sleep(time, 120_000);
      yield* failing();
    };
  });
  await clock.advanceBy(63_000 + 120_000);
  expect(pauses.slice(5)).toEqual([32_000, 1_000]);
  stop();
  await ended;
});

test("an iterable that fails cannot be begun again, and ends the controller", async () => {
  await expect(stage(() => failing()).ended).rejects.toThrow("torn");
});

test("an end comes at once, and whoever is waiting for the next item is told", async () => {
  let isTold = false;
  const waiting: AsyncIterable<Wish> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => new Promise(() => undefined),
      return: async () => {
        isTold = true;
        return Promise.reject(new Error("it cannot end"));
      },
    }),
  };
  const { ended, stop } = stage(() => waiting);
  stop();
  await ended;
  expect(isTold).toBe(true);
});

test("items and failures leave nothing behind on the signal", async () => {
  const { clock, ended, signal } = stage(() => {
    let begun = 0;
    return () => (begun++ < 3 ? failing({ namespace: "n", name: "a" }) : (async function* () {})());
  });
  await clock.advanceBy(10_000);
  await ended;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("all are woken by one wish, until the source is at its end", async () => {
  const { ended, woken } = stage(() => () => Readable.from(["all"]));
  await ended;
  expect(woken).toEqual(["n/b", "n/c"]);
});
