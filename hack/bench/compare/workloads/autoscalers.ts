import type { ApiObject } from "../../../../pkg/api/object.ts";
import { formatTime } from "../../../../pkg/api/time.ts";
import type { Stored } from "../../../../pkg/api/object.ts";
import type { Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import type { FakeAnswer } from "../../../../test/harness/fake-transport.ts";
import { LoadMetrics } from "../../../../test/harness/load-metrics.ts";
import { serveMetrics } from "../../../../test/harness/metrics-server.ts";
import { until } from "../../../../test/harness/until.ts";
import { inParallel } from "../in-parallel.ts";
import { quantile } from "../median.ts";
import { createNamespace } from "../probe.ts";
import { requestsOf } from "../scraped-metrics.ts";
import { deploymentName, podName, storedDeployments } from "../stored-objects.ts";
import type { Outcome } from "../outcome.ts";
import type { StartManager, Workload } from "../workload.ts";

/** All have told of their first turns. */
const SETTLED_MS = 15_000;
const LIMIT_MS = 180_000;
const PODS_OF_EACH = 2;
const OF_A_NAMESPACE = 100;
/** Thousandths of a core that a pod uses: as much as it is to use. */
const USED = 50;
const created = formatTime(Date.UTC(2026, 0, 15, 9, 30));

interface Crowd {
  readonly id: string;
  readonly autoscalers: number;
  readonly workers: number;
  readonly periodSeconds: number;
  /** How long is looked at. */
  readonly windowSeconds: number;
}

const figures = {
  first: { label: "start until all have looked once", unit: "s" },
  p50: { label: "from one look to the next, p50", unit: "s" },
  p99: { label: "p99", unit: "s", goal: { bound: "at most", value: 1 } },
  longest: { label: "max", unit: "s" },
  startPeak: {
    label: "looks in the busiest second since the start",
    unit: "",
    goal: { bound: "at most", value: 1 },
  },
  peak: { label: "in the busiest second later", unit: "", goal: { bound: "at most", value: 1 } },
  mean: { label: "in the mean", unit: "/s" },
  requests: { label: "requests in the mean", unit: "/s" },
  firstCpu: { label: "CPU until it rests", unit: "s", goal: { bound: "at most", value: 1 } },
  cpu: { label: "CPU of a minute", unit: "s", goal: { bound: "at most", value: 1 } },
  cpuEach: { label: "CPU of 1,000 looks", unit: "s", goal: { bound: "at most", value: 1 } },
  rss: { label: "RSS after it", unit: "MiB", goal: { bound: "at most", value: 1 } },
} as const;

/** Autoscalers whose pods bear what they are to bear: each looks at its metrics in every period, and rests. */
function autoscalers(crowd: Crowd): Workload {
  const { id, autoscalers: all, workers, periodSeconds } = crowd;
  return {
    id,
    title: `${all.toLocaleString("en")} autoscalers of a Deployment each that rest, every ${periodSeconds} s, ${workers} at a time`,
    needs: ["horizontal-pod-autoscaler-controller"],
    alone: true,
    rounds: 2,
    figures,
    prepare: async (stage) => {
      const indexes = Array.from({ length: stage.scaled(all) }, (_, index) => index);
      const namespaces = new Set(indexes.map(namespaceOf));
      await inParallel([...namespaces], async (name) => createNamespace(stage.client, name));
      const how = { namespace: namespaceOf, replicas: PODS_OF_EACH };
      await stage.store([...storedDeployments(indexes.length, how), ...indexes.map(autoscaler)]);
    },
    play: async (stage, start) => {
      const looks = new Looks(stage.scaled(all));
      const end = await serveMetrics(stage.client, looks);
      try {
        return await watch(looks, start, crowd);
      } finally {
        await end();
      }
    },
  };
}

async function watch(
  looks: Looks,
  start: StartManager,
  { workers, periodSeconds, windowSeconds }: Crowd,
): Promise<Outcome> {
  const more = [
    `--concurrent-horizontal-pod-autoscaler-syncs=${workers}`,
    `--horizontal-pod-autoscaler-sync-period=${periodSeconds}s`,
  ];
  const manager = await start({ more });
  await until("all have looked", () => looks.haveAll, LIMIT_MS);
  const first = manager.elapsedSeconds;
  await sleep(realClock, SETTLED_MS);
  const before = { ...manager.usage(), requests: requestsOf(await manager.metrics()) };
  const sinceMs = realClock.monotonicMs();
  await sleep(realClock, windowSeconds * 1_000);
  const untilMs = realClock.monotonicMs();
  const { cpuSeconds, rssMiB } = manager.usage();
  const requests = requestsOf(await manager.metrics()) - before.requests;
  const gaps = looks.gaps(sinceMs, untilMs, periodSeconds);
  const [all, counts] = [looks.ofSeconds(manager.startMs, untilMs), looks.ofSeconds(sinceMs, untilMs)];
  const count = counts.reduce((sum, each) => sum + each, 0);
  const seconds = (untilMs - sinceMs) / 1_000;
  const cpu = cpuSeconds - before.cpuSeconds;
  return {
    figures: {
      first,
      p50: quantile(gaps, 0.5),
      p99: quantile(gaps, 0.99),
      longest: quantile(gaps, 1),
      startPeak: Math.max(...all),
      peak: Math.max(...counts),
      mean: count / seconds,
      requests: requests / seconds,
      firstCpu: before.cpuSeconds,
      cpu: (cpu * 60) / seconds,
      cpuEach: (cpu * 1_000) / count,
      rss: rssMiB,
    },
    curves: {
      RSS: manager.rss,
      looks: { unit: "/s", points: all.map((each, second) => [second, each]) },
    },
  };
}

/** Ten thousand every 15 s are more than two cores are good for: the API server alone needs one. */
export const autoscalerWorkloads: readonly Workload[] = [
  autoscalers({
    id: "p-autoscalers-1k",
    autoscalers: 1_000,
    workers: 5,
    periodSeconds: 15,
    windowSeconds: 60,
  }),
  autoscalers({
    id: "p-autoscalers-10k",
    autoscalers: 10_000,
    workers: 20,
    periodSeconds: 60,
    windowSeconds: 75,
  }),
];

/** A metrics server that knows when it was asked for whose pods. */
class Looks {
  readonly #count: number;
  readonly #metrics: LoadMetrics;
  /** By number of the Deployment. */
  readonly #timesMs = new Map<number, number[]>();

  constructor(count: number) {
    this.#count = count;
    this.#metrics = new LoadMetrics(
      async (namespace, selector) => podsOf(namespace, selector),
      () => realClock.nowMs(),
    );
    for (let index = 0; index < count; index++)
      this.#metrics.set(namespaceOf(index), { cpu: { main: PODS_OF_EACH * USED } });
  }

  /** For each of them. */
  get haveAll(): boolean {
    return this.#timesMs.size >= this.#count;
  }

  async answer(path: string, query: URLSearchParams | undefined): Promise<FakeAnswer> {
    const index = numberOf(query?.get("labelSelector") ?? "");
    if (index !== undefined) {
      const times = this.#timesMs.get(index) ?? [];
      times.push(realClock.monotonicMs());
      this.#timesMs.set(index, times);
    }
    return this.#metrics.answer(path, query);
  }

  /** How many there were in each second. */
  ofSeconds(sinceMs: number, untilMs: number): readonly number[] {
    const counts = Array.from({ length: Math.ceil((untilMs - sinceMs) / 1_000) }, () => 0);
    for (const timeMs of [...this.#timesMs.values()].flat()) {
      const second = Math.floor((timeMs - sinceMs) / 1_000);
      if (timeMs < untilMs && second >= 0) counts[second] = (counts[second] ?? 0) + 1;
    }
    return counts;
  }

  /** The gaps in seconds that ended then, and those that have lasted for more than a period in the end. */
  gaps(sinceMs: number, untilMs: number, periodSeconds: number): readonly number[] {
    return [...this.#timesMs.values()].flatMap((times) => {
      const ended = times.flatMap((timeMs, index) => {
        const before = times[index - 1];
        const isThen = timeMs >= sinceMs && timeMs < untilMs;
        return before === undefined || !isThen ? [] : [(timeMs - before) / 1_000];
      });
      const open = (untilMs - (times.at(-1) ?? sinceMs)) / 1_000;
      return open > periodSeconds ? [...ended, open] : ended;
    });
  }
}

function namespaceOf(index: number): string {
  return `team-${Math.floor(index / OF_A_NAMESPACE)}`;
}

function numberOf(selector: string): number | undefined {
  const [, digits] = /^app=app-(\d+)$/.exec(selector) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function podsOf(namespace: string, selector: string | undefined): readonly Stored<Pod>[] {
  const index = numberOf(selector ?? "");
  if (index === undefined) throw new Error(`nobody has pods of ${selector}`);
  return Array.from({ length: PODS_OF_EACH }, (_, replica): Stored<Pod> => {
    const metadata = { namespace, name: podName(index, replica), uid: "", resourceVersion: "" };
    return { metadata, status: { phase: "Running" } };
  });
}

function autoscaler(index: number): ApiObject {
  const name = deploymentName(index);
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      namespace: namespaceOf(index),
      name,
      uid: `00000000-00ff-4000-8000-${index.toString(16).padStart(12, "0")}`,
      creationTimestamp: created,
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: USED } },
        },
      ],
    },
    status: { currentReplicas: PODS_OF_EACH, desiredReplicas: PODS_OF_EACH },
  } as ApiObject;
}
