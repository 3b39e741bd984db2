import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Steps } from "../api/steps.ts";
import { ENDED, GOING_ON, type Task, TaskTurns } from "./task-turns.ts";

/** A clock on which work takes time. */
class BusyClock extends VirtualClock {
  #spentMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.#spentMs;
  }

  spend(ms: number): void {
    this.#spentMs += ms;
  }
}

function* counting(name: string, steps: number, log: string[], work = (): void => undefined): Steps<void> {
  for (let step = 0; step < steps; step++) {
    log.push(name);
    work();
    yield;
  }
}

function taskOf(steps: Steps<void>, failed: (error: unknown) => void): Task {
  return { next: () => (steps.next().done === true ? ENDED : GOING_ON), failed };
}

const silent = { error: (): void => undefined };
const unexpected = (error: unknown): void => expect.unreachable(String(error));

test("a task does not begin before the caller has gone on", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  new TaskTurns(clock, silent).start(taskOf(counting("a", 1, log), unexpected));
  expect(log).toEqual([]);
  await clock.advanceBy(0);
  expect(log).toEqual(["a"]);
});

test("a long task does not keep a short one waiting", async () => {
  const clock = new BusyClock();
  const log: string[] = [];
  const tasks = new TaskTurns(clock, silent);
  const long = counting("long", 1_000, log, () => clock.spend(0.3));
  tasks.start(taskOf(long, unexpected));
  tasks.start(taskOf(counting("short", 1, log), unexpected));
  await clock.advanceBy(0);
  expect(log.indexOf("short")).toBeLessThan(10);
  expect(log.filter((name) => name === "long").length).toBe(1_000);
});

test("the event loop has its turn about every 5 ms", async () => {
  const clock = new BusyClock();
  const log: string[] = [];
  const turn = clock.turn.bind(clock);
  clock.turn = async () => {
    log.push("turn");
    await turn();
  };
  const steps = counting("step", 500, log, () => clock.spend(0.1));
  new TaskTurns(clock, silent).start(taskOf(steps, unexpected));
  await clock.advanceBy(0);
  const runs = log
    .join(" ")
    .split("turn")
    .map((run) => run.trim().split(" ").length);
  expect(Math.max(...runs)).toBeLessThan(70);
  expect(runs.length).toBeGreaterThan(5);
});

test("a task that throws is reported, to its owner, too, and harms no other", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const tasks = new TaskTurns(clock, {
    error: (error) => log.push(String(error)),
  });
  const broken = (function* fails(): Steps<void> {
    yield;
    throw new Error("broken");
  })();
  tasks.start(taskOf(broken, (error) => log.push(`its owner is told: ${String(error)}`)));
  tasks.start(taskOf(counting("a", 2, log), unexpected));
  await clock.advanceBy(0);
  expect(log).toEqual(["Error: broken", "its owner is told: Error: broken", "a", "a"]);
});
