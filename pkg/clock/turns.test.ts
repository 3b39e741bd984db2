import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Clock } from "./clock.ts";
import { forEachInTurns } from "./turns.ts";

/** What was visited between two turns of the event loop, when each visit takes so long. */
async function runsOf(count: number, visitMs: number): Promise<readonly number[]> {
  const runs = [0];
  let nowMs = 0;
  const virtual = new VirtualClock();
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer: (delayMs, callback) => virtual.setTimer(delayMs, callback),
    turn: async () => void runs.push(0),
  };
  const visited: number[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  await forEachInTurns(clock, items, (item) => {
    visited.push(item);
    runs.push((runs.pop() ?? 0) + 1);
    nowMs += visitMs;
  });
  expect(visited).toEqual(items);
  return runs;
}

test("visits of many objects leave the event loop its turn after every 5 ms", async () => {
  expect(await runsOf(12, 1)).toEqual([5, 5, 2]);
});

test("a visit that takes longer is alone in its turn", async () => {
  expect(await runsOf(3, 8)).toEqual([1, 1, 1, 0]);
});

test("where time stands still, the number of visits tells when it is time", async () => {
  expect(await runsOf(1_200, 0)).toEqual([512, 512, 176]);
});
