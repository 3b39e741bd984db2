import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { WorkerLiveness } from "../../controller/worker.ts";
import { controllerCheck } from "./controller-health.ts";

const LIMIT_MS = 60_000;
const resting: WorkerLiveness = { workersAlive: 2, running: 0, waiting: 0, sinceProgressMs: 0, syncs: 0 };

interface Scene {
  state: WorkerLiveness;
  problem: string | undefined;
  runs: boolean;
  sinceAnswerMs: number;
  probe(): string | undefined;
  readonly clock: VirtualClock;
}

function scene(first: WorkerLiveness): Scene {
  const clock = new VirtualClock();
  const parts: Scene = {
    state: first,
    problem: undefined,
    runs: true,
    sinceAnswerMs: Infinity,
    clock,
    probe: () => check.check(),
  };
  const check = controllerCheck({
    name: "job-controller",
    health: () =>
      parts.runs
        ? {
            pools: { jobs: parts.state },
            ...(parts.problem === undefined ? {} : { problem: parts.problem }),
            sinceAnswerMs: parts.sinceAnswerMs,
          }
        : undefined,
    clock,
    maxSyncMs: LIMIT_MS,
  });
  return parts;
}

test("workers that wait for caches have time to start, and no more than that", async () => {
  const parts = scene({ ...resting, workersAlive: 0 });
  expect(parts.probe()).toBeUndefined();
  await parts.clock.advanceBy(LIMIT_MS);
  expect(parts.probe()).toBeUndefined();
  await parts.clock.advanceBy(1);
  expect(parts.probe()).toBe("jobs: the workers have not started");
});

test("workers that were there and are gone are a fault at once", () => {
  const parts = scene(resting);
  expect(parts.probe()).toBeUndefined();
  parts.state = { ...resting, workersAlive: 0 };
  expect(parts.probe()).toBe("jobs: no worker is left");
});

test("a key that is in work for too long is named", () => {
  const parts = scene({ ...resting, running: 1, longestRunning: { key: "a/b", forMs: LIMIT_MS } });
  expect(parts.probe()).toBeUndefined();
  parts.state = { ...resting, running: 1, longestRunning: { key: "a/b", forMs: LIMIT_MS + 1 } };
  expect(parts.probe()).toBe("jobs: key a/b has been in work for 60s");
});

test("a key is not in work for too long as long as the server answers", () => {
  const parts = scene({ ...resting, running: 1, longestRunning: { key: "a/b", forMs: 10 * LIMIT_MS } });
  parts.sinceAnswerMs = LIMIT_MS;
  expect(parts.probe()).toBeUndefined();
  parts.sinceAnswerMs = 2 * LIMIT_MS;
  expect(parts.probe()).toBe("jobs: key a/b has been in work for 600s");
});

test("a burst after a long rest is no fault", async () => {
  const parts = scene(resting);
  await parts.clock.advanceBy(10 * LIMIT_MS);
  parts.state = {
    ...resting,
    running: 2,
    waiting: 500,
    longestRunning: { key: "a/b", forMs: 3 },
    sinceProgressMs: 10 * LIMIT_MS,
  };
  expect(parts.probe()).toBeUndefined();
  parts.state = { ...resting, waiting: 1, sinceProgressMs: 10 * LIMIT_MS };
  expect(parts.probe()).toBeUndefined();
});

test("keys that wait while nobody works are a fault when it lasts, and progress in between clears it", async () => {
  const parts = scene({ ...resting, waiting: 3 });
  expect(parts.probe()).toBeUndefined();
  await parts.clock.advanceBy(LIMIT_MS);
  parts.state = { ...resting, waiting: 3, sinceProgressMs: 10 };
  expect(parts.probe()).toBeUndefined();
  await parts.clock.advanceBy(LIMIT_MS);
  parts.state = { ...resting, waiting: 3, sinceProgressMs: LIMIT_MS + 10 };
  expect(parts.probe()).toBe("jobs: 3 keys wait, and no worker has taken one for 60s");
});

test("what the controller says of itself counts", () => {
  const parts = scene(resting);
  parts.problem = "the graph is not built";
  expect(parts.probe()).toBe("the graph is not built");
});

test("a controller that does not run yet is healthy, one that runs no more is not", () => {
  const parts = scene(resting);
  parts.runs = false;
  expect(parts.probe()).toBeUndefined();
  parts.runs = true;
  expect(parts.probe()).toBeUndefined();
  parts.runs = false;
  expect(parts.probe()).toBe("the controller has ended");
});
