import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Labels, Metrics } from "../metrics/metrics.ts";
import { createMetrics } from "../metrics/registry.ts";
import { createWorkQueue } from "./work-queue.ts";

/** Keeps the last value (gauges), the sum (counters) or all values (histograms) of every series of queue "test". */
function recordingMetrics() {
  const values = new Map<string, number>();
  const observed = new Map<string, number[]>();
  const refreshes: (() => void | Promise<void>)[] = [];
  const seriesOf = (name: string, labels: Labels | undefined): string =>
    `${name}{${JSON.stringify(labels ?? {})}}`;
  const metrics: Metrics = {
    counter: ({ name }) => {
      const inc = (labels?: Labels, amount = 1): void => {
        const series = seriesOf(name, labels);
        values.set(series, (values.get(series) ?? 0) + amount);
      };
      return { inc, with: (labels) => ({ inc: (amount) => inc(labels, amount) }) };
    },
    gauge: ({ name }) => {
      const set = (value: number, labels?: Labels): void => void values.set(seriesOf(name, labels), value);
      const add = (amount: number, labels?: Labels): void =>
        set((values.get(seriesOf(name, labels)) ?? 0) + amount, labels);
      return {
        set,
        add,
        remove: (labels) => void values.delete(seriesOf(name, labels)),
        reset: () => values.clear(),
        with: (labels) => ({ set: (value) => set(value, labels), add: (amount) => add(amount, labels) }),
      };
    },
    histogram: ({ name }) => {
      const observe = (value: number, labels?: Labels): void => {
        const series = seriesOf(name, labels);
        observed.set(series, [...(observed.get(series) ?? []), value]);
      };
      return { observe, with: (labels) => ({ observe: (value) => observe(value, labels) }) };
    },
    onCollect: (refresh) => void refreshes.push(refresh),
  };
  const collect = async (name: string): Promise<number | undefined> => {
    for (const refresh of refreshes) await refresh();
    return values.get(seriesOf(name, { name: "test" }));
  };
  return {
    metrics,
    collect,
    observations: (name: string) => observed.get(seriesOf(name, { name: "test" })) ?? [],
  };
}

test("the bounds of durations are written as Go writes its own", async () => {
  const clock = new VirtualClock();
  const { main } = createMetrics({ version: "1.36.4" });
  const queue = createWorkQueue<string>({ clock, metrics: main, name: "test" });
  queue.add("foo");
  queue.done((await queue.get()) ?? "");
  const shown = await main.expose();
  const bounds = [...shown.matchAll(/^workqueue_work_duration_seconds_bucket\{.*le="([^"]*)"/gm)];
  // upstream: component-base/metrics/prometheus/workqueue/metrics.go, ExponentialBuckets(10e-9, 10, 10)
  expect(bounds.map(([, bound]) => bound)).toEqual([
    "1e-08",
    "1e-07",
    "1e-06",
    "9.999999999999999e-06",
    "9.999999999999999e-05",
    "0.001",
    "0.01",
    "0.1",
    "1",
    "10",
    "+Inf",
  ]);
});

test("a named queue counts adds, depth, latency, work and what is unfinished, as client-go does", async () => {
  const clock = new VirtualClock();
  const { metrics, collect, observations } = recordingMetrics();
  const queue = createWorkQueue<string>({ clock, metrics, name: "test" });
  queue.add("foo");
  expect(await collect("workqueue_adds_total")).toBe(1);
  expect(await collect("workqueue_depth")).toBe(1);

  await clock.advanceBy(50);
  queue.tryGet();
  expect(observations("workqueue_queue_duration_seconds")).toEqual([0.05]);
  for (let time = 0; time < 5; time++) queue.add("foo");
  expect(await collect("workqueue_adds_total")).toBe(2);
  expect(await collect("workqueue_depth")).toBe(0);

  await clock.advanceBy(25);
  queue.done("foo");
  expect(observations("workqueue_work_duration_seconds")).toEqual([0.025]);
  expect(await collect("workqueue_depth")).toBe(1);

  // The latency of a key that was added while it was worked on counts from that add, not from its done.
  queue.tryGet();
  expect(observations("workqueue_queue_duration_seconds")).toEqual([0.05, 0.025]);
  await clock.advanceBy(1000);
  queue.add("bar");
  queue.tryGet();
  await clock.advanceBy(500);
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(2);
  expect(await collect("workqueue_longest_running_processor_seconds")).toBe(1.5);
  queue.done("foo");
  queue.done("bar");
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(0);
});

test("every delayed or rate limited add is a retry, also without a delay, but not after shutDown", async () => {
  const clock = new VirtualClock();
  const { metrics, collect } = recordingMetrics();
  const queue = createWorkQueue<string>({ clock, metrics, name: "test" });
  queue.addAfter("a", 0);
  queue.addAfter("b", 10);
  queue.addRateLimited("c");
  queue.add("d");
  queue.shutDown();
  queue.addAfter("e", 10);
  expect(await collect("workqueue_retries_total")).toBe(3);
});

test("work that outlives shutDown is no longer reported as unfinished", async () => {
  const clock = new VirtualClock();
  const { metrics, collect } = recordingMetrics();
  const queue = createWorkQueue<string>({ clock, metrics, name: "test" });
  queue.add("foo");
  queue.tryGet();
  await clock.advanceBy(1000);
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(1);
  queue.shutDown();
  await clock.advanceBy(1000);
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(1);
});

test("queues that share a name add up", async () => {
  const clock = new VirtualClock();
  const { metrics, collect } = recordingMetrics();
  const queues = [1, 2].map(() => createWorkQueue<string>({ clock, metrics, name: "test" }));
  for (const queue of queues) {
    queue.add("foo");
    queue.add("bar");
    queue.tryGet();
  }
  await clock.advanceBy(1000);
  expect(await collect("workqueue_adds_total")).toBe(4);
  expect(await collect("workqueue_depth")).toBe(2);
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(2);
  for (const queue of queues) queue.done("foo");
  expect(await collect("workqueue_unfinished_work_seconds")).toBe(0);
});

test("a queue without a name keeps no metrics", async () => {
  const { metrics, collect } = recordingMetrics();
  createWorkQueue<string>({ clock: new VirtualClock(), metrics }).add("foo");
  expect(await collect("workqueue_adds_total")).toBeUndefined();
});
