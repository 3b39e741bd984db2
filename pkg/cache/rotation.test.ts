import { expect, test } from "vitest";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { Rotation, type Task } from "./rotation.ts";

/** A clock on which every look at the time costs. */
function slowClock(costMs: number): VirtualClock {
  const clock = new VirtualClock();
  let spentMs = 0;
  const now = clock.monotonicMs.bind(clock);
  clock.monotonicMs = () => now() + (spentMs += costMs);
  return clock;
}

function* counting(name: string, steps: number, log: string[]): Task {
  for (let step = 0; step < steps; step++) {
    log.push(name);
    yield;
  }
}

test("a task does not begin before the caller has gone on", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  new Rotation(clock, silentLogger).start(counting("a", 1, log));
  expect(log).toEqual([]);
  await clock.advanceBy(0);
  expect(log).toEqual(["a"]);
});

test("a long task does not keep a short one waiting", async () => {
  const clock = slowClock(0.3);
  const log: string[] = [];
  const rotation = new Rotation(clock, silentLogger);
  rotation.start(counting("long", 1_000, log));
  rotation.start(counting("short", 1, log));
  await clock.advanceBy(0);
  expect(log.indexOf("short")).toBeLessThan(10);
  expect(log.filter((name) => name === "long").length).toBe(1_000);
});

test("the event loop has its turn about every 5 ms", async () => {
  const clock = slowClock(0.1);
  const log: string[] = [];
  const turn = clock.turn.bind(clock);
  clock.turn = async () => {
    log.push("turn");
    await turn();
  };
  new Rotation(clock, silentLogger).start(counting("step", 500, log));
  await clock.advanceBy(0);
  const runs = log
    .join(" ")
    .split("turn")
    .map((run) => run.trim().split(" ").length);
  expect(Math.max(...runs)).toBeLessThan(60);
  expect(runs.length).toBeGreaterThan(5);
});

test("a task that throws is reported and harms no other", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const rotation = new Rotation(clock, {
    ...silentLogger,
    error: (error) => log.push(String(error)),
  });
  rotation.start(
    (function* broken(): Task {
      yield;
      throw new Error("broken");
    })(),
  );
  rotation.start(counting("a", 2, log));
  await clock.advanceBy(0);
  expect(log).toEqual(["Error: broken", "a", "a"]);
});
