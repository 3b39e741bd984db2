import fc from "fast-check";
import { expect, test } from "vitest";
import { settle } from "../testing/virtual-clock.ts";
import { TurnLine } from "./turn-line.ts";

/** An event loop in which time passes only by work. */
class Loop {
  nowMs = 0;
  #callbacks: (() => void)[] = [];
  readonly turns = new TurnLine({
    monotonicMs: () => this.nowMs,
    nextTurn: (callback) => this.#callbacks.push(callback),
  });

  get idle(): boolean {
    return this.#callbacks.length === 0;
  }

  async runTurn(): Promise<void> {
    for (const callback of this.#callbacks.splice(0)) {
      callback();
      await settle();
    }
  }
}

function workers(loop: Loop, steps: Readonly<Record<string, readonly number[]>>): readonly string[] {
  const log: string[] = [];
  for (const [name, durations] of Object.entries(steps)) {
    void (async () => {
      for (const durationMs of durations) {
        await loop.turns.next();
        log.push(name);
        loop.nowMs += durationMs;
      }
    })();
  }
  return log;
}

test("short work of many fits into one turn", async () => {
  const loop = new Loop();
  const log = workers(loop, { a: [1], b: [1], c: [1] });
  await loop.runTurn();
  expect(log).toEqual(["a", "b", "c"]);
});

test("nobody is resumed in a turn that has lasted long enough", async () => {
  const loop = new Loop();
  const log = workers(loop, { a: [3], b: [3], c: [3] });
  await loop.runTurn();
  expect(log).toEqual(["a", "b"]);
  await loop.runTurn();
  expect(log).toEqual(["a", "b", "c"]);
});

test("work that always asks for another turn does not get it before those who wait already", async () => {
  const loop = new Loop();
  const log = workers(loop, { a: [9, 9, 9], b: [9, 9], c: [9] });
  while (!loop.idle) await loop.runTurn();
  expect(log).toEqual(["a", "b", "c", "a", "b", "a"]);
});

test("whatever the work, every turn resumes somebody, none begins work after its share, and all of it is done", async () => {
  const durations = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(durations, { maxLength: 6 }), async (all) => {
      const loop = new Loop();
      const log = workers(loop, Object.fromEntries(all.map((each, index) => [`w${index}`, each])));
      const longest = Math.max(0, ...all.flat());
      const total = all.flat().length;
      while (log.length < total) {
        const before = { steps: log.length, nowMs: loop.nowMs };
        await loop.runTurn();
        expect(log.length).toBeGreaterThan(before.steps);
        expect(loop.nowMs - before.nowMs).toBeLessThan(5 + Math.max(longest, 1));
      }
      await loop.runTurn();
      expect(loop.idle).toBe(true);
    }),
  );
});
