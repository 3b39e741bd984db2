import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { tokenBucket, unlimited } from "./limiter.ts";

test("lets a burst through at once, then one request per interval", async () => {
  const clock = new VirtualClock();
  const limiter = tokenBucket({ clock, qps: 20, burst: 30 });
  const admittedMs: number[] = [];
  for (let n = 0; n < 50; n++) void limiter.wait("").then(() => admittedMs.push(clock.monotonicMs()));
  await clock.advanceBy(0);
  expect(admittedMs).toHaveLength(30);
  await clock.advanceBy(1_000);
  expect(admittedMs).toHaveLength(50);
  expect(admittedMs.slice(30)).toEqual(Array.from({ length: 20 }, (_, n) => (n + 1) * 50));
  expect(clock.pendingTimers).toBe(0);
});

test("a quiet namespace waits one turn behind a busy one, or behind all of it when fairness is off", async () => {
  const turnOf = async (fair: boolean): Promise<number> => {
    const clock = new VirtualClock();
    const limiter = tokenBucket({ clock, qps: 10, burst: 1, fair });
    const order: string[] = [];
    for (let n = 0; n < 100; n++) void limiter.wait("busy").then(() => order.push("busy"));
    void limiter.wait("quiet").then(() => order.push("quiet"));
    await clock.advanceBy(20_000);
    expect(order).toHaveLength(101);
    return order.indexOf("quiet");
  };
  expect(await turnOf(true)).toBe(2);
  expect(await turnOf(false)).toBe(100);
});

test("an aborted wait rejects with the reason and takes no token", async () => {
  const clock = new VirtualClock();
  const limiter = tokenBucket({ clock, qps: 1, burst: 1 });
  await limiter.wait("a");
  const abort = new AbortController();
  const aborted = limiter.wait("a", abort.signal);
  const next = limiter.wait("b");
  abort.abort(new Error("stop"));
  await expect(aborted).rejects.toThrow("stop");
  await clock.advanceBy(1_000);
  await next;
  await expect(limiter.wait("a", abort.signal)).rejects.toThrow("stop");
  const last = new AbortController();
  const lonely = limiter.wait("a", last.signal);
  expect(clock.pendingTimers).toBe(1);
  last.abort(new Error("stop"));
  await expect(lonely).rejects.toThrow("stop");
  expect(clock.pendingTimers).toBe(0);
});

test("no limit without a rate", () => {
  expect(tokenBucket({ clock: new VirtualClock(), qps: 0, burst: 5 })).toBe(unlimited);
});

test("under any load: never above the rate, in order within a flow, in turns between flows, nobody forgotten", async () => {
  const arrivals = fc.array(fc.record({ flow: fc.constantFrom("a", "b", "c", "d"), gapMs: fc.nat(120) }), {
    maxLength: 120,
  });
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 10 }),
      async (load, qps, burst) => {
        const clock = new VirtualClock();
        const limiter = tokenBucket({ clock, qps, burst });
        const admitted: { flow: string; index: number; atMs: number }[] = [];
        for (const [index, { flow, gapMs }] of load.entries()) {
          await clock.advanceBy(gapMs);
          void limiter.wait(flow).then(() => admitted.push({ flow, index, atMs: clock.monotonicMs() }));
        }
        await clock.advanceBy((load.length / qps) * 1_000 + 1_000);
        expect(admitted).toHaveLength(load.length);
        for (const flow of ["a", "b", "c", "d"]) {
          const order = admitted.filter((each) => each.flow === flow).map((each) => each.index);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
        for (const [last, { atMs }] of admitted.entries()) {
          for (const [first, earlier] of admitted.slice(0, last).entries()) {
            const count = last - first + 1;
            expect(count).toBeLessThanOrEqual(burst + ((atMs - earlier.atMs) * qps) / 1_000 + 1e-3);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});
