import type { Clock } from "../clock/clock.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Entry } from "./line.ts";

/** Each is ten times the one before: bounds are labels, and have the digits that Go's multiplication has. */
const BUCKETS = [1e-8];
while (BUCKETS.length < 10) BUCKETS.push((BUCKETS.at(-1) ?? 0) * 10);

/** What the metrics read from the queue when they are collected. */
interface Watched<K> {
  length(): number;
  shuttingDown(): boolean;
  processing(): Iterable<Entry<K>>;
}

/**
 * The workqueue_* metrics of one named queue. Counts are kept as plain numbers and handed over at each collection,
 * because they change with every add; durations are observed as they happen.
 */
export class QueueMetrics<K> {
  readonly #clock: Clock;
  readonly #latency: { observe(value: number): void };
  readonly #workDuration: { observe(value: number): void };
  #adds = 0;
  #retries = 0;

  constructor(metrics: Metrics, name: string, clock: Clock, queue: Watched<K>) {
    this.#clock = clock;
    const families = queueFamilies(metrics);
    this.#latency = families.latency.with({ name });
    this.#workDuration = families.workDuration.with({ name });
    const depth = families.depth.with({ name });
    const adds = families.adds.with({ name });
    const retries = families.retries.with({ name });
    const unfinished = families.unfinished.with({ name });
    const longestRunning = families.longestRunning.with({ name });
    // Some queues share a name: each adds its part to the gauges.
    let depthShown = 0;
    let unfinishedShownMs = 0;
    metrics.onCollect(() => {
      depth.add(queue.length() - depthShown);
      depthShown = queue.length();
      adds.inc(this.#adds);
      retries.inc(this.#retries);
      this.#adds = 0;
      this.#retries = 0;
      if (queue.shuttingDown()) return;
      const nowMs = clock.monotonicMs();
      let totalMs = 0;
      let longestMs = 0;
      for (const entry of queue.processing()) {
        totalMs += nowMs - entry.startedMs;
        longestMs = Math.max(longestMs, nowMs - entry.startedMs);
      }
      unfinished.add((totalMs - unfinishedShownMs) / 1000);
      unfinishedShownMs = totalMs;
      longestRunning.set(longestMs / 1000);
    });
  }

  added(entry: Entry<K>): void {
    this.#adds++;
    entry.addedMs = this.#clock.monotonicMs();
  }

  taken(entry: Entry<K>): void {
    entry.startedMs = this.#clock.monotonicMs();
    this.#latency.observe((entry.startedMs - entry.addedMs) / 1000);
  }

  done(entry: Entry<K>): void {
    this.#workDuration.observe((this.#clock.monotonicMs() - entry.startedMs) / 1000);
  }

  retried(): void {
    this.#retries++;
  }
}

function queueFamilies(metrics: Metrics) {
  const common = { labels: ["name"], stability: "BETA" } as const;
  return {
    depth: metrics.gauge({
      ...common,
      name: "workqueue_depth",
      help: "Keys that are ready and wait for a worker.",
    }),
    adds: metrics.counter({
      ...common,
      name: "workqueue_adds_total",
      help: "Keys put in line since the start.",
    }),
    latency: metrics.histogram({
      ...common,
      name: "workqueue_queue_duration_seconds",
      help: "Seconds from a key's add until a worker takes it.",
      buckets: BUCKETS,
    }),
    workDuration: metrics.histogram({
      ...common,
      name: "workqueue_work_duration_seconds",
      help: "Seconds that a worker spends on a key.",
      buckets: BUCKETS,
    }),
    unfinished: metrics.gauge({
      ...common,
      name: "workqueue_unfinished_work_seconds",
      help: "Seconds spent so far on the keys in work, summed up. Steady growth shows how many workers hang.",
    }),
    longestRunning: metrics.gauge({
      ...common,
      name: "workqueue_longest_running_processor_seconds",
      help: "Seconds since the start of the longest of the keys in work.",
    }),
    retries: metrics.counter({
      ...common,
      name: "workqueue_retries_total",
      help: "Keys added with a delay or a rate limit since the start.",
    }),
  };
}
