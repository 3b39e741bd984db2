import fc from "fast-check";
import { test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { seededRandom, randomBelow } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import { exponentialLimiter } from "./rate-limiter.ts";
import { type WorkQueueOptions, createWorkQueue } from "./work-queue.ts";

const mode = fc.record({ fair: fc.boolean(), priorities: fc.boolean() });

/** What must be true of a queue, kept beside it: which keys are owed a sync, and which are worked on. */
class Ledger {
  /** Per key, the time of its last add that no sync has seen yet. */
  readonly #owedFromMs = new Map<string, number>();
  readonly #working = new Set<string>();
  readonly violations: string[] = [];

  owe(key: string, fromMs: number): void {
    this.#owedFromMs.set(key, fromMs);
  }

  start(key: string, nowMs: number): void {
    if (this.#working.has(key)) this.violations.push(`${key} was handed to two workers at ${nowMs}`);
    this.#working.add(key);
    this.#owedFromMs.delete(key);
  }

  finish(key: string): void {
    this.#working.delete(key);
  }

  /** Keys that no sync has seen since their last add. */
  get lost(): readonly string[] {
    return [...this.#owedFromMs.keys()];
  }
}

const action = fc.record({
  key: fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(4)).map(([namespace, name]) => `${namespace}/${name}`),
  how: fc.constantFrom("add", "background", "after", "limited" as const),
  delayMs: fc.nat(40),
  pauseMs: fc.nat(15),
});

test("no key is handed to two workers, and none is lost, whatever the load", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 80 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(),
      mode,
      async (actions, workers, seed, options) => {
        const clock = new VirtualClock();
        const random = seededRandom(seed);
        const queue = createWorkQueue<string>({ clock, rateLimiter: exponentialLimiter(5, 80), ...options });
        const ledger = new Ledger();
        const work = async (): Promise<void> => {
          for (;;) {
            const key = queue.tryGet() ?? (await queue.get());
            if (key === undefined) return;
            ledger.start(key, clock.monotonicMs());
            await sleep(clock, randomBelow(random, 20));
            if (randomBelow(random, 4) === 0) {
              queue.addRateLimited(key);
              ledger.owe(key, clock.monotonicMs());
            } else queue.forget(key);
            ledger.finish(key);
            queue.done(key);
          }
        };
        const working = Array.from({ length: workers }, work);
        for (const { key, how, delayMs, pauseMs } of actions) {
          const nowMs = clock.monotonicMs();
          if (how === "limited") queue.addRateLimited(key);
          else if (how === "after") queue.addAfter(key, delayMs);
          else queue.add(key, how === "add" ? "live" : "background");
          ledger.owe(key, nowMs);
          await clock.advanceBy(pauseMs);
        }
        await clock.advanceBy(60_000);
        const lost = ledger.lost;
        queue.shutDown();
        await Promise.all(working);
        return lost.length === 0 && ledger.violations.length === 0 && clock.pendingTimers === 0;
      },
    ),
    { numRuns: 150 },
  );
});

test("a delayed key comes exactly at the earliest of its times, when a worker is free", async () => {
  const add = fc.record({
    key: fc.nat(5).map(String),
    delayMs: fc.integer({ min: 1, max: 100 }),
    pauseMs: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(add, { maxLength: 60 }), mode, async (adds, options) => {
      const clock = new VirtualClock();
      const queue = createWorkQueue<string>({ clock, ...options });
      const dueMs = new Map<string, number>();
      const wrong: string[] = [];
      const work = async (): Promise<void> => {
        for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
          if (dueMs.get(key) !== clock.monotonicMs())
            wrong.push(`${key} came at ${clock.monotonicMs()} instead of ${dueMs.get(key)}`);
          dueMs.delete(key);
          queue.done(key);
        }
      };
      const working = work();
      for (const { key, delayMs, pauseMs } of adds) {
        dueMs.set(key, Math.min(dueMs.get(key) ?? Infinity, clock.monotonicMs() + delayMs));
        queue.addAfter(key, delayMs);
        await clock.advanceBy(pauseMs);
      }
      await clock.advanceBy(200);
      queue.shutDown();
      await working;
      return wrong.length === 0 && dueMs.size === 0;
    }),
    { numRuns: 200 },
  );
});

test("follows client-go's dirty and processing sets for any sequence of calls", () => {
  const key = fc.nat(6).map((name) => `ns${name % 2}/${name}`);
  const call = fc.oneof(
    fc.record({ add: key, priority: fc.constantFrom("live", "background" as const) }),
    fc.constant("get" as const),
    fc.record({ done: key }),
  );
  fc.assert(
    fc.property(
      fc.array(call, { maxLength: 300 }),
      mode,
      (calls, options: Partial<WorkQueueOptions<string>>) => {
        const queue = createWorkQueue<string>({ clock: new VirtualClock(), ...options });
        const [dirty, processing] = [new Set<string>(), new Set<string>()];
        for (const call of calls) {
          if (call === "get") {
            const taken = queue.tryGet();
            if (taken === undefined) continue;
            if (!dirty.has(taken) || processing.has(taken)) return false;
            dirty.delete(taken);
            processing.add(taken);
          } else if ("add" in call) {
            queue.add(call.add, call.priority);
            dirty.add(call.add);
          } else {
            queue.done(call.done);
            processing.delete(call.done);
          }
          if (queue.length !== [...dirty].filter((one) => !processing.has(one)).length) return false;
        }
        return true;
      },
    ),
  );
});
