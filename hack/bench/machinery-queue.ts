import type { Clock } from "../../pkg/clock/clock.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { type WorkQueueOptions, createWorkQueue } from "../../pkg/workqueue/work-queue.ts";

export interface QueueBenchResult {
  readonly name: string;
  readonly cyclesPerSecond: number;
  readonly goal: number;
}

const KEYS = 10_000;
const NAMESPACES = 100;

/** Add, take and finish every key, over and over: one key at a time, or all of them before the first is taken. */
export function benchQueue(clock: Clock, cycles = 2_000_000): readonly QueueBenchResult[] {
  const keys = Array.from(
    { length: KEYS },
    (_, index) => `namespace-${index % NAMESPACES}/deployment-${index}`,
  );
  const plain = { fair: false, priorities: false };
  return [
    { name: "queue, one at a time", run: cycleOne, options: plain, goal: 1_000_000 },
    { name: `queue, ${KEYS} waiting`, run: cycleMany, options: plain, goal: 1_000_000 },
    { name: "fair queue, one at a time", run: cycleOne, options: {}, goal: 500_000 },
    { name: `fair queue, ${KEYS} waiting`, run: cycleMany, options: {}, goal: 500_000 },
  ].map(({ name, run, options, goal }) => {
    run(queueWith(clock, options), keys, cycles / 10);
    const startMs = clock.monotonicMs();
    run(queueWith(clock, options), keys, cycles);
    return { name, cyclesPerSecond: Math.round((cycles * 1000) / (clock.monotonicMs() - startMs)), goal };
  });
}

/** Adds and takes per second of delayed keys, with random delays (only the heap works; no timer fires). */
export function benchDelays(clock: Clock, keys = 200_000): number {
  const queue = queueWith(clock, {});
  const startMs = clock.monotonicMs();
  for (let index = 0; index < keys; index++)
    queue.addAfter(`ns/${index}`, 60_000 + ((index * 7919) % 600_000));
  const elapsedMs = clock.monotonicMs() - startMs;
  queue.shutDown();
  return Math.round((keys * 1000) / elapsedMs);
}

/** Syncs per second of 5 workers with nothing to do, the turns of the event loop included. */
export async function benchWorkers(clock: Clock, syncs = 500_000): Promise<number> {
  const queue = queueWith(clock, {});
  for (let index = 0; index < syncs; index++)
    queue.add(`namespace-${index % NAMESPACES}/deployment-${index}`);
  queue.shutDown();
  const sync = async (): Promise<Record<string, never>> => ({});
  const ready = async (): Promise<void> => undefined;
  const pool = new WorkerPool({ queue, workers: 5, sync, ready, clock, log: silentLogger });
  const startMs = clock.monotonicMs();
  await pool.run(new AbortController().signal);
  return Math.round((syncs * 1000) / (clock.monotonicMs() - startMs));
}

function queueWith(clock: Clock, options: Partial<WorkQueueOptions<string>>): WorkQueue<string> {
  return createWorkQueue<string>({ clock, ...options });
}

function cycleOne(queue: WorkQueue<string>, keys: readonly string[], cycles: number): void {
  for (let cycle = 0; cycle < cycles; cycle++) {
    queue.add(keys[cycle % keys.length] ?? "");
    const key = queue.tryGet();
    if (key !== undefined) queue.done(key);
  }
}

function cycleMany(queue: WorkQueue<string>, keys: readonly string[], cycles: number): void {
  for (let round = 0; round < cycles / keys.length; round++) {
    for (const key of keys) queue.add(key);
    for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) queue.done(key);
  }
}
