import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock, settle } from "../testing/virtual-clock.ts";
import { randomBelow, seededRandom } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import type { LogFields, Logger } from "../log/logger.ts";
import { errorOfFailure } from "../client/errors.ts";
import { TransportError } from "../client/transport.ts";
import { exponentialLimiter, type RateLimiter } from "../workqueue/rate-limiter.ts";
import { createWorkQueue } from "../workqueue/work-queue.ts";
import { PermanentError } from "./permanent-error.ts";
import type { SyncFunction } from "./sync.ts";
import { type WorkerPoolOptions, WorkerPool } from "./worker.ts";

interface Line extends LogFields {
  readonly level: string;
  readonly message: string;
}

function recordingLog(lines: Line[], bound: LogFields = {}): Logger {
  const write = (level: string, message: string, fields?: LogFields): void =>
    void lines.push({ level, message, ...bound, ...fields });
  return {
    error: (_error, message, fields) => write("error", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    info: (message, fields) => write("info", message, fields),
    verbose: (_level, message, fields) => write("verbose", message, fields),
    enabled: () => true,
    child: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

function setUp(sync: SyncFunction<string>, options: Partial<WorkerPoolOptions<string>> = {}) {
  const clock = new VirtualClock();
  const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialLimiter(10, 1000) });
  const lines: Line[] = [];
  const stop = new AbortController();
  const ready = async (): Promise<void> => undefined;
  const pool = new WorkerPool({
    queue,
    workers: 2,
    sync,
    ready,
    clock,
    log: recordingLog(lines),
    ...options,
  });
  let ended = false;
  const running = pool.run(stop.signal).finally(() => (ended = true));
  return { clock, queue, lines, stop, pool, running, ended: () => ended };
}

const done = async (): Promise<Record<string, never>> => ({});

test("no sync starts before the caches are ready", async () => {
  const synced: string[] = [];
  const caches = Promise.withResolvers<void>();
  const { queue, clock, running, stop } = setUp(async ({ key }) => (synced.push(key), done()), {
    ready: async () => caches.promise,
  });
  queue.add("a");
  await clock.advanceBy(60_000);
  expect(synced).toEqual([]);
  caches.resolve();
  await settle();
  expect(synced).toEqual(["a"]);
  stop.abort();
  await running;
});

test("an abort while the caches are not ready ends the run without a sync and without a failure", async () => {
  const { queue, running, stop } = setUp(done, {
    ready: async (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  });
  queue.add("a");
  stop.abort();
  await running;
  expect(queue.length).toBe(1);
});

test("caches that give up fail the run", async () => {
  const { running, queue } = setUp(done, {
    ready: async () => Promise.reject(new Error("no such resource")),
  });
  await expect(running).rejects.toThrow("no such resource");
  expect(queue.shuttingDown).toBe(true);
});

test("a failed key is retried with growing delays and forgotten when it succeeds", async () => {
  const startsMs: number[] = [];
  const { clock, queue, stop, running, lines } = setUp(async () => {
    startsMs.push(clock.monotonicMs());
    if (startsMs.length < 4) throw new Error("not yet");
    return {};
  });
  queue.add("a");
  await clock.advanceBy(1000);
  expect(startsMs).toEqual([0, 10, 30, 70]);
  expect(queue.requeues("a")).toBe(0);
  expect(lines.filter(({ level }) => level === "error")).toHaveLength(3);
  stop.abort();
  await running;
});

test("a sync that throws before its first await is retried all the same, and the workers live on", async () => {
  let calls = 0;
  const { clock, queue, pool, stop, running } = setUp(() => {
    calls++;
    throw new TypeError("undefined is not a function");
  });
  queue.add("a");
  await clock.advanceBy(100);
  expect(calls).toBe(4);
  expect(pool.liveness().workersAlive).toBe(2);
  stop.abort();
  await running;
});

test("after maxRetries failures in a row the key is dropped, until it is added anew", async () => {
  let calls = 0;
  const failing = async (): Promise<never> => {
    calls++;
    throw new Error("never");
  };
  const { clock, queue, lines, stop, running } = setUp(failing, { maxRetries: 3 });
  queue.add("a");
  await clock.advanceBy(10_000);
  expect(calls).toBe(4);
  expect(queue.requeues("a")).toBe(0);
  expect(lines.at(-1)).toMatchObject({ level: "error", key: "a", retries: 3 });
  queue.add("a");
  await clock.advanceBy(10_000);
  expect(calls).toBe(8);
  stop.abort();
  await running;
});

test("a key that fails for good is tried again only when it is added anew", async () => {
  let calls = 0;
  const { clock, queue, lines, stop, running } = setUp(async () => {
    calls++;
    throw new Error("the bucket cannot be made", { cause: new PermanentError("there is no such region") });
  });
  queue.add("a");
  await clock.advanceBy(60_000);
  expect([calls, queue.requeues("a")]).toEqual([1, 0]);
  expect(lines.at(-1)?.message).toContain("failed for good");
  queue.add("a");
  await clock.advanceBy(60_000);
  expect(calls).toBe(2);
  stop.abort();
  await running;
});

test("the rest of a time passes, though it is too little to be added to the time that it is", async () => {
  const untilMs = 1_000_000.1;
  let runs = 0;
  const { clock, queue, stop, running } = setUp(async () => {
    runs++;
    const restMs = runs < 20 && clock.monotonicMs() < untilMs ? 1e-11 : undefined;
    return restMs === undefined ? {} : { requeueAfterMs: restMs };
  });
  await clock.advanceBy(1_000_000);
  queue.add("a");
  await clock.advanceBy(10);
  expect(runs).toBe(2);
  stop.abort();
  await running;
});

test("a sync can ask to be repeated after a while, or at once", async () => {
  const startsMs: number[] = [];
  const { clock, queue, stop, running } = setUp(async () => {
    startsMs.push(clock.monotonicMs());
    return startsMs.length === 1
      ? { requeueAfterMs: 500 }
      : startsMs.length === 2
        ? { requeueAfterMs: 0 }
        : {};
  });
  queue.add("a");
  await clock.advanceBy(1000);
  expect(startsMs).toEqual([0, 500, 500]);
  stop.abort();
  await running;
});

test.each(["live", "background"] as const)("what is repeated waits as is asked for: %s", async (again) => {
  const keys: string[] = [];
  const judge = () => ({ requeueAfterMs: 500 });
  const { clock, queue, stop, running } = setUp(
    async ({ key }) => {
      keys.push(key);
      if (key === "busy") await sleep(clock, 400);
      if (key === "failing" && !keys.includes("busy")) throw new Error("not yet");
      return keys.includes("busy") ? {} : { requeueAfterMs: 500 };
    },
    { workers: 1, again, judge },
  );
  queue.add("repeated");
  queue.add("failing");
  await clock.advanceBy(300);
  queue.add("busy");
  await clock.advanceBy(300);
  queue.add("new");
  await clock.advanceBy(300);
  const rest = again === "live" ? ["repeated", "failing", "new"] : ["new", "repeated", "failing"];
  expect(keys).toEqual(["repeated", "failing", "busy", ...rest]);
  stop.abort();
  await running;
});

test("a sync can ask to be repeated as after a failure, which is not reported as one", async () => {
  const startsMs: number[] = [];
  const { clock, queue, lines, stop, running } = setUp(async () => {
    startsMs.push(clock.monotonicMs());
    return startsMs.length < 4 ? { backOff: true } : {};
  });
  queue.add("a");
  await clock.advanceBy(1000);
  expect(startsMs).toEqual([0, 10, 30, 70]);
  expect(queue.requeues("a")).toBe(0);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  stop.abort();
  await running;
});

test("every line of a sync names the key and the run", async () => {
  const { queue, lines, stop, running } = setUp(async ({ log }) => {
    log.info("scaling");
    return {};
  });
  queue.add("ns/a");
  queue.add("ns/b");
  await settle();
  const ids = new Map(lines.map(({ key, reconcileId }) => [key, reconcileId]));
  expect([...ids.keys()]).toEqual(["ns/a", "ns/b"]);
  expect(new Set(ids.values()).size).toBe(2);
  expect(lines).toHaveLength(4);
  stop.abort();
  await running;
});

test("an abort lets running syncs end, starts no other, and makes no failure of what they throw", async () => {
  const started: string[] = [];
  const { clock, queue, lines, stop, running, ended } = setUp(async ({ key, signal }) => {
    started.push(key);
    await sleep(clock, 100);
    signal.throwIfAborted();
    return {};
  });
  for (const key of ["a", "b", "c"]) queue.add(key);
  await clock.advanceBy(50);
  stop.abort();
  await settle();
  expect(ended()).toBe(false);
  await clock.advanceBy(50);
  await running;
  expect(started).toEqual(["a", "b"]);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("a queue that is shut down is worked off before the run ends", async () => {
  const synced: string[] = [];
  const { clock, queue, running } = setUp(async ({ key }) => {
    await sleep(clock, 10);
    synced.push(key);
    return {};
  });
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  queue.shutDown();
  await clock.advanceBy(20);
  await running;
  expect(synced).toEqual(["a", "b", "c", "d"]);
});

test("a key whose caches lag behind waits without a sync and without a failure", async () => {
  const startsMs: number[] = [];
  const waits = [5, 10, undefined];
  const { clock, queue, stop, running, lines } = setUp(async () => (startsMs.push(clock.monotonicMs()), {}), {
    gate: { waitMs: () => waits.shift() },
  });
  queue.add("a");
  await clock.advanceBy(100);
  expect(startsMs).toEqual([15]);
  expect(queue.requeues("a")).toBe(0);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  stop.abort();
  await running;
});

describe("while the API server is away", () => {
  const asked = { method: "GET", path: "/api" } as const;
  const unreachable = errorOfFailure(new TransportError("timeout", "connecting took too long", false), asked);
  const keys = Array.from({ length: 300 }, (_, index) => `ns/${index}`);

  test("workers try once a second, and afterwards no key waits for more than that", async () => {
    const triesMs: number[] = [];
    const synced = new Set<string>();
    let isAway = true;
    const { clock, queue, stop, running } = setUp(async ({ key }) => {
      if (isAway) {
        triesMs.push(clock.monotonicMs());
        throw unreachable;
      }
      synced.add(key);
      return {};
    });
    for (const key of keys) queue.add(key);
    await clock.advanceBy(60_500);
    expect(triesMs.length).toBeGreaterThan(60);
    expect(triesMs.length).toBeLessThanOrEqual(2 * 61);
    isAway = false;
    await clock.advanceBy(1_000);
    expect(synced.size).toBe(keys.length);
    stop.abort();
    await running;
  });

  test("no failure is counted against a key, however long it lasts", async () => {
    const failures: RateLimiter<string> = {
      delayMs: () => {
        throw new Error("the rate limiter was asked");
      },
      forget: () => undefined,
      failures: () => 0,
    };
    const clock = new VirtualClock();
    const queue = createWorkQueue<string>({ clock, rateLimiter: failures });
    let calls = 0;
    const { stop, running } = setUp(
      async () => {
        calls++;
        throw new AggregateError([new Error("something else"), unreachable]);
      },
      { clock, queue, maxRetries: 3 },
    );
    queue.add("a");
    await clock.advanceBy(100_000);
    expect(calls).toBeGreaterThan(90);
    stop.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  test("an abort ends the wait", async () => {
    const { clock, queue, stop, running, ended } = setUp(async () => Promise.reject(unreachable));
    for (const key of keys) queue.add(key);
    await clock.advanceBy(1_500);
    stop.abort();
    await settle();
    expect(ended()).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    await running;
  });
});

test("liveness shows who is stuck and since when", async () => {
  const { clock, queue, pool, stop, running } = setUp(async ({ key }) => {
    await sleep(clock, key === "stuck" ? 10_000 : 10);
    return {};
  });
  queue.add("stuck");
  await clock.advanceBy(100);
  for (const key of ["a", "b"]) queue.add(key);
  await clock.advanceBy(5);
  expect(pool.liveness()).toEqual({
    workersAlive: 2,
    running: 2,
    waiting: 1,
    syncs: 2,
    longestRunning: { key: "stuck", forMs: 105 },
    sinceProgressMs: 105,
  });
  await clock.advanceBy(115);
  expect(pool.liveness()).toMatchObject({ running: 1, waiting: 0, sinceProgressMs: 100 });
  stop.abort();
  await clock.advanceBy(10_000);
  await running;
  expect(pool.liveness()).toEqual({
    workersAlive: 0,
    running: 0,
    waiting: 0,
    syncs: 3,
    sinceProgressMs: 0,
  });
});

describe("the event loop", () => {
  test.each([1, 5])(
    "gets its turn after every 5 ms of work without a pause of %i workers",
    async (workers) => {
      const clock = new VirtualClock();
      let nowMs = 0;
      let turns = 0;
      const busy = {
        nowMs: () => nowMs,
        monotonicMs: () => nowMs,
        setTimer: (delayMs: number, callback: () => void) => clock.setTimer(delayMs, callback),
        turn: async (): Promise<void> => void turns++,
      };
      const { queue, stop, running } = setUp(async () => ((nowMs += 1), {}), { clock: busy, workers });
      for (let index = 0; index < 105; index++) queue.add(String(index));
      await settle();
      expect([nowMs, turns]).toEqual([105, 20]);
      stop.abort();
      await running;
    },
  );
});

test("a key that was taken when the abort came, but not begun, is not begun", async () => {
  const synced: string[] = [];
  const { clock, queue, stop, running } = setUp(
    async ({ key }) => {
      synced.push(key);
      await sleep(clock, 10);
      return {};
    },
    { workers: 1 },
  );
  for (const key of ["first", "second"]) queue.add(key);
  await clock.advanceBy(5);
  // When the first ends, its slice is over: the worker takes the second and gives way to this timer.
  clock.setTimer(5, () => stop.abort());
  await clock.advanceBy(10);
  await running;
  expect([synced, queue.length]).toEqual([["first"], 0]);
});

test("whatever fails, repeats and aborts: one sync per key at a time, and none after the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(400),
      async (seed, workers, stopAfterMs) => {
        const random = seededRandom(seed);
        const syncing = new Set<string>();
        const problems: string[] = [];
        const { clock, queue, stop, running, ended } = setUp(
          async ({ key }) => {
            if (syncing.has(key)) problems.push(`${key} is synced twice at a time`);
            if (ended()) problems.push(`${key} is synced after the end`);
            syncing.add(key);
            await sleep(clock, randomBelow(random, 20));
            syncing.delete(key);
            if (randomBelow(random, 3) === 0) throw new Error("failed");
            return randomBelow(random, 3) === 0 ? { requeueAfterMs: randomBelow(random, 10) } : {};
          },
          { workers },
        );
        for (let elapsedMs = 0; elapsedMs < stopAfterMs; elapsedMs += 10) {
          queue.add(`ns${randomBelow(random, 2)}/${randomBelow(random, 5)}`);
          await clock.advanceBy(10);
        }
        stop.abort();
        await clock.advanceBy(20);
        await running;
        return problems.length === 0 && syncing.size === 0 && clock.pendingTimers === 0;
      },
    ),
    { numRuns: 50 },
  );
});
