import { describe, expect, test } from "vitest";
import { VirtualClock, settle } from "../testing/virtual-clock.ts";
import type { WorkQueue } from "./queue.ts";
import { exponentialLimiter } from "./rate-limiter.ts";
import { type WorkQueueOptions, createWorkQueue } from "./work-queue.ts";

function setUp(options: Partial<WorkQueueOptions<string>> = {}): {
  clock: VirtualClock;
  queue: WorkQueue<string>;
} {
  const clock = new VirtualClock();
  return { clock, queue: createWorkQueue<string>({ clock, ...options }) };
}

function takeAll(queue: WorkQueue<string>): string[] {
  const keys: string[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe.each([
  { fair: true, priorities: true },
  { fair: true, priorities: false },
  { fair: false, priorities: true },
  { fair: false, priorities: false },
])("fair: $fair, priorities: $priorities", (mode) => {
  test("a key that waits is not added twice", () => {
    const { queue } = setUp(mode);
    for (const key of ["foo", "bar", "foo"]) queue.add(key);
    expect(queue.length).toBe(2);
    expect(takeAll(queue)).toEqual(["foo", "bar"]);
    expect(queue.length).toBe(0);
  });

  test("a key added while it is worked on is handed out again, once, and not before it is done", async () => {
    const { queue } = setUp(mode);
    queue.add("foo");
    expect(queue.tryGet()).toBe("foo");
    queue.add("foo");
    queue.add("foo");
    expect([queue.length, queue.tryGet()]).toEqual([0, undefined]);
    let again: string | undefined;
    const getting = queue.get().then((key) => (again = key));
    await settle();
    expect(again).toBeUndefined();
    queue.done("foo");
    await getting;
    expect(again).toBe("foo");
    queue.done("foo");
    expect(queue.length).toBe(0);
  });

  test("those who wait are served in the order in which they came", async () => {
    const { queue } = setUp(mode);
    const getting = [queue.get(), queue.get(), queue.get()];
    for (const key of ["a", "b", "c"]) queue.add(key);
    expect(queue.length).toBe(0);
    expect(await Promise.all(getting)).toEqual(["a", "b", "c"]);
  });

  test("after shutDown nothing is added, what waits is handed out, then get gives undefined", async () => {
    const { queue, clock } = setUp(mode);
    queue.add("foo");
    queue.addAfter("delayed", 10);
    queue.shutDown();
    queue.add("late");
    queue.addAfter("late", 1);
    expect(queue.shuttingDown).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(await queue.get()).toBe("foo");
    queue.done("foo");
    expect(await queue.get()).toBeUndefined();
  });
});

test("shutDown releases those who wait", async () => {
  const { queue } = setUp();
  const getting = [queue.get(), queue.get()];
  queue.shutDown();
  expect(await Promise.all(getting)).toEqual([undefined, undefined]);
});

describe("shutDownWithDrain", () => {
  test("resolves when every key that was handed out is done", async () => {
    const { queue } = setUp();
    for (const key of ["foo", "bar"]) {
      queue.add(key);
      queue.tryGet();
    }
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => (drained = true));
    expect(await queue.get()).toBeUndefined();
    queue.done("foo");
    await settle();
    expect(drained).toBe(false);
    queue.done("bar");
    await draining;
  });

  test("resolves at once when nothing is worked on", async () => {
    await setUp().queue.shutDownWithDrain();
  });

  test("is cut short by shutDown", async () => {
    const { queue } = setUp();
    queue.add("foo");
    queue.tryGet();
    const draining = queue.shutDownWithDrain();
    queue.shutDown();
    await draining;
  });

  test("a key added again before it is still handed out once more", async () => {
    const { queue } = setUp();
    queue.add("foo");
    queue.tryGet();
    queue.add("foo");
    const draining = queue.shutDownWithDrain();
    expect(await queue.get()).toBeUndefined();
    queue.done("foo");
    expect(await queue.get()).toBe("foo");
    queue.done("foo");
    expect(await queue.get()).toBeUndefined();
    await draining;
  });
});

test("done is harmless for a key that nobody works on", () => {
  const { queue } = setUp();
  queue.done("unknown");
  queue.add("waiting");
  queue.done("waiting");
  expect(takeAll(queue)).toEqual(["waiting"]);
});

describe("delays", () => {
  test("a delayed key comes when its time has come, once", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("foo", 50);
    await clock.advanceBy(49);
    expect(queue.length).toBe(0);
    await clock.advanceBy(1);
    expect(takeAll(queue)).toEqual(["foo"]);
    await clock.advanceBy(10_000);
    expect([queue.length, clock.pendingTimers]).toEqual([0, 0]);
  });

  test("re-adding only shortens the delay", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("foo", 50);
    queue.addAfter("foo", 70);
    await clock.advanceBy(60);
    expect(takeAll(queue)).toEqual(["foo"]);
    await clock.advanceBy(20);
    expect(queue.length).toBe(0);

    queue.addAfter("foo", 50);
    queue.addAfter("foo", 30);
    await clock.advanceBy(40);
    expect(takeAll(queue)).toEqual(["foo"]);
    await clock.advanceBy(20);
    expect(queue.length).toBe(0);
  });

  test("keys come in the order of their times, whatever the order of adding", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("first", 1000);
    queue.addAfter("second", 500);
    queue.addAfter("third", 250);
    await clock.advanceBy(2000);
    expect(takeAll(queue)).toEqual(["third", "second", "first"]);
  });

  test("a key without delay, or with one below zero, is added at once", () => {
    const { queue } = setUp();
    queue.addAfter("zero", 0);
    queue.addAfter("below", -5);
    expect(takeAll(queue)).toEqual(["zero", "below"]);
  });

  test("a jump of the wall clock neither hastens nor delays", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("foo", 50);
    clock.jumpWallClock(3_600_000);
    await clock.advanceBy(49);
    expect(queue.length).toBe(0);
    clock.jumpWallClock(-7_200_000);
    await clock.advanceBy(1);
    expect(queue.length).toBe(1);
  });
});

test("rate limited keys wait longer with each failure, until they are forgotten", async () => {
  const { clock, queue } = setUp({ rateLimiter: exponentialLimiter(1, 1000) });
  const delays: number[] = [];
  const fail = async (key: string): Promise<void> => {
    const startMs = clock.monotonicMs();
    queue.addRateLimited(key);
    await clock.runUntil(() => queue.length > 0);
    delays.push(clock.monotonicMs() - startMs);
    takeAll(queue);
  };
  for (const key of ["one", "one", "two", "two"]) await fail(key);
  expect(queue.requeues("one")).toBe(2);
  queue.forget("one");
  expect(queue.requeues("one")).toBe(0);
  await fail("one");
  expect(delays).toEqual([1, 2, 1, 2, 1]);
});

describe("priorities", () => {
  test("live keys go before background keys", () => {
    const { queue } = setUp();
    queue.add("initial", "background");
    queue.add("changed");
    expect(takeAll(queue)).toEqual(["changed", "initial"]);
  });

  test("a live change promotes a key that waits in the background, and is not undone by a resync", () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "c"]) queue.add(key, "background");
    queue.add("c");
    queue.add("c", "background");
    expect(queue.length).toBe(3);
    expect(takeAll(queue)).toEqual(["c", "a", "b"]);
  });

  test("a key changed while it is worked on comes back live, whatever it was taken as", () => {
    const { queue } = setUp();
    queue.add("key", "background");
    expect(queue.tryGet()).toBe("key");
    queue.add("key", "background");
    queue.add("key", "live");
    queue.add("key", "background");
    queue.add("other", "background");
    queue.done("key");
    expect(takeAll(queue)).toEqual(["key", "other"]);
  });

  test("a key that failed keeps the priority it was taken with", async () => {
    const { clock, queue } = setUp();
    queue.add("initial", "background");
    queue.tryGet();
    queue.addRateLimited("initial");
    queue.done("initial");
    await clock.advanceBy(1000);
    queue.add("changed");
    expect(takeAll(queue)).toEqual(["changed", "initial"]);
  });

  test("a delayed key takes the higher of its priorities", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("key", 10, "live");
    queue.addAfter("key", 20, "background");
    queue.addAfter("other", 5, "background");
    await clock.advanceBy(10);
    expect(takeAll(queue)).toEqual(["key", "other"]);
  });

  test("switched off, all keys are served first come first served", () => {
    const { queue } = setUp({ priorities: false });
    queue.add("initial", "background");
    queue.add("changed");
    expect(takeAll(queue)).toEqual(["initial", "changed"]);
  });
});

describe("fairness", () => {
  test("namespaces take turns by default, first come first served when switched off", () => {
    for (const fair of [true, false]) {
      const { queue } = setUp({ fair });
      for (const key of ["busy/1", "busy/2", "quiet/1"]) queue.add(key);
      expect(takeAll(queue)).toEqual(
        fair ? ["busy/1", "quiet/1", "busy/2"] : ["busy/1", "busy/2", "quiet/1"],
      );
    }
  });

  test("failures in one namespace do not use up the retries of another, unless switched off", async () => {
    for (const fair of [true, false]) {
      const { clock, queue } = setUp({ fair });
      for (let index = 0; index < 1000; index++) queue.addRateLimited(`busy/${index}`);
      const startMs = clock.monotonicMs();
      queue.addRateLimited("quiet/1");
      let elapsedMs = Infinity;
      while (elapsedMs === Infinity) {
        await clock.advanceBy(100);
        if (takeAll(queue).includes("quiet/1")) elapsedMs = clock.monotonicMs() - startMs;
      }
      expect(elapsedMs).toBe(fair ? 200 : 90_100);
    }
  });

  test("the group can be another than the namespace", () => {
    const { queue } = setUp({ groupOf: (key) => key.slice(-1) });
    for (const key of ["a/1", "b/1", "a/2"]) queue.add(key);
    expect(takeAll(queue)).toEqual(["a/1", "a/2", "b/1"]);
  });
});
