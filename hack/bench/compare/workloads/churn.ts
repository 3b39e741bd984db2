import type { ApiObject } from "../../../../pkg/api/object.ts";
import type { Resource } from "../../../../pkg/api/resource.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import type { Deployment, StatefulSet } from "../../../../pkg/api/types/apps-v1.gen.ts";
import type { Job } from "../../../../pkg/api/types/batch-v1.gen.ts";
import { isJobFinished } from "../../../../pkg/api/job.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { isNotFound } from "../../../../pkg/client/errors.ts";
import { SCRIPT_ANNOTATION } from "../../../../pkg/cluster/hollow/script.ts";
import { until } from "../../../../test/harness/until.ts";
import type { ManagerProcess } from "../manager-process.ts";
import { median } from "../median.ts";
import type { Curve } from "../outcome.ts";
import { createNamespace, plainDeployment } from "../probe.ts";
import { requestsOf } from "../scraped-metrics.ts";
import type { Workload } from "../workload.ts";

const NODES = 4;
const LOOK_MS = 500;
const SAMPLE_MS = 15_000;
const STEP_LIMIT_MS = 600_000;
const REST_MS = 60_000;

interface Spell {
  readonly id: string;
  readonly users: number;
  readonly minutes: number;
  readonly whenNamed?: boolean;
}

const figures = {
  rounds: { label: "namespaces that came and went", unit: "" },
  cpu: { label: "CPU", unit: "s/h", goal: { bound: "at most", value: 0.8 } },
  cpuEach: { label: "CPU for each of these", unit: "s", goal: { bound: "at most", value: 0.8 } },
  requests: { label: "requests for each of these", unit: "" },
  rss: { label: "RSS, median of the second quarter", unit: "MiB", goal: { bound: "at most", value: 0.8 } },
  lastRss: { label: "RSS, median of the last quarter", unit: "MiB", goal: { bound: "at most", value: 0.8 } },
  restRss: { label: "RSS a minute after the end", unit: "MiB" },
  files: { label: "open files, second quarter", unit: "" },
  lastFiles: { label: "open files, last quarter", unit: "" },
  handles: { label: "handles (of Go: goroutines), second quarter", unit: "" },
  lastHandles: { label: "handles (of Go: goroutines), last quarter", unit: "" },
  stall: { label: "longest stall of the event loop, median of all samples", unit: "ms" },
  lastStall: { label: "longest stall of the event loop in the last quarter, median", unit: "ms" },
  depth: { label: "keys waiting in queues a minute after the end", unit: "" },
  leftOver: { label: "objects that are left over", unit: "" },
} as const;

/**
 * Users who have a namespace each, fill it, change what is in it, and delete it, again and again: what an ordinary cluster
 * does all day, with the limits of requests that the program has by itself.
 */
export function churn({ id, users, minutes, whenNamed = false }: Spell): Workload {
  return {
    id,
    title: `${users} users for ${minutes} minutes: Deployments, StatefulSet, Service, budget, quota, Job in a namespace each, rolled, scaled, deleted`,
    needs: ["deployment-controller", "statefulset-controller", "job-controller", "namespace-controller"],
    nodes: NODES,
    rounds: 1,
    whenNamed,
    figures,
    play: async (stage, start) => {
      const { client } = stage;
      const manager = await start({ limits: "default" });
      await manager.settle(STEP_LIMIT_MS);
      const before = await countAll(client);
      const samples = new Samples(manager);
      const endMs = realClock.monotonicMs() + stage.scaled(minutes * 60) * 1_000;
      const { cpuSeconds: cpuBefore } = manager.usage();
      const startMs = realClock.monotonicMs();
      const requestsBefore = requestsOf(await manager.metrics());
      const lives = Array.from({ length: users }, async (_, user) => live(client, user, endMs));
      const sampling = samples.take(endMs);
      const rounds = (await Promise.all(lives)).reduce((sum, each) => sum + each, 0);
      await sampling;
      const requests = requestsOf(await manager.metrics()) - requestsBefore;
      const hours = (realClock.monotonicMs() - startMs) / 3_600_000;
      const cpu = (manager.usage().cpuSeconds - cpuBefore) / hours;
      const { rssMiB } = await manager.settle(STEP_LIMIT_MS, REST_MS);
      return {
        figures: {
          rounds,
          cpu,
          cpuEach: (cpu * hours) / rounds,
          requests: requests / rounds,
          ...samples.figures(),
          restRss: rssMiB,
          depth: (await manager.metrics()).sum("workqueue_depth"),
          leftOver: (await countAll(client)) - before,
        },
        curves: { RSS: manager.rss, ...samples.curves },
      };
    },
  };
}

/** Gives how many namespaces this user has had. */
async function live(client: ClientSet, user: number, endMs: number): Promise<number> {
  let round = 0;
  for (; realClock.monotonicMs() < endMs; round++) {
    const namespace = `user-${user}-${round}`;
    await createNamespace(client, namespace);
    await fill(client, namespace);
    await untilRunning(client, namespace);
    await change(client, namespace);
    await untilRunning(client, namespace);
    await client.clientFor(resources.namespaces).delete({ name: namespace });
    await until(`${namespace} is gone`, async () => isGone(client, namespace), STEP_LIMIT_MS, LOOK_MS);
  }
  return round;
}

async function fill(client: ClientSet, namespace: string): Promise<void> {
  const create = async (resource: Resource, object: ApiObject): Promise<unknown> =>
    client.dynamic(resource).create(object);
  await create(resources.resourceQuotas, {
    metadata: { namespace, name: "most" },
    spec: { hard: { pods: "100", "count/configmaps": "50" } },
  } as ApiObject);
  await create(resources.deployments, plainDeployment(namespace, "web", 5));
  await create(resources.deployments, plainDeployment(namespace, "api", 3));
  await create(resources.services, {
    metadata: { namespace, name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  } as ApiObject);
  await create(resources.podDisruptionBudgets, {
    metadata: { namespace, name: "web" },
    spec: { minAvailable: 3, selector: { matchLabels: { app: "web" } } },
  } as ApiObject);
  const labels = { app: "db" };
  await create(resources.statefulSets, {
    metadata: { namespace, name: "db" },
    spec: { serviceName: "db", replicas: 3, selector: { matchLabels: labels }, template: templateOf(labels) },
  } as ApiObject);
  await create(resources.jobs, {
    metadata: { namespace, name: "once" },
    spec: { completions: 4, parallelism: 2, template: templateOf({ app: "once" }, "Never") },
  } as ApiObject);
}

function templateOf(labels: Record<string, string>, restartPolicy = "Always"): object {
  return {
    metadata: {
      labels,
      ...(restartPolicy === "Never" && { annotations: { [SCRIPT_ANNOTATION]: "exit 0" } }),
    },
    spec: { restartPolicy, containers: [{ name: "main", image: "app:v1" }] },
  };
}

/** A new image, more and fewer replicas, and the Job goes. */
async function change(client: ClientSet, namespace: string): Promise<void> {
  const patch = async (resource: Resource, name: string, spec: object): Promise<unknown> =>
    client.dynamic(resource).patch({ namespace, name }, { type: "strategic", body: { spec } });
  const template = { spec: { containers: [{ name: "main", image: "app:v2" }] } };
  await patch(resources.deployments, "web", { replicas: 8, template });
  await patch(resources.deployments, "api", { replicas: 1 });
  await patch(resources.statefulSets, "db", { template });
  await client
    .clientFor(resources.jobs)
    .delete({ namespace, name: "once" }, { propagationPolicy: "Background" });
}

async function untilRunning(client: ClientSet, namespace: string): Promise<void> {
  const isRunning = async (): Promise<boolean> => {
    const [deployments, sets, jobs] = await Promise.all([
      client.clientFor<Deployment>(resources.deployments).list({ namespace }),
      client.clientFor<StatefulSet>(resources.statefulSets).list({ namespace }),
      client.clientFor<Job>(resources.jobs).list({ namespace }),
    ]);
    return (
      deployments.items.every(isRolledOut) &&
      sets.items.every(isRolledOut) &&
      jobs.items.every((job) => isJobFinished(job))
    );
  };
  await until(`all of ${namespace} runs`, isRunning, STEP_LIMIT_MS, LOOK_MS);
}

function isRolledOut({ metadata, spec, status }: Deployment | StatefulSet): boolean {
  const wanted = spec?.replicas;
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === wanted &&
    status?.availableReplicas === wanted &&
    status?.replicas === wanted
  );
}

async function isGone(client: ClientSet, name: string): Promise<boolean> {
  try {
    await client.clientFor(resources.namespaces).get({ name });
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Of everything that users and controllers make, but Events, which go by themselves. */
const counted: readonly Resource[] = [
  resources.namespaces,
  resources.pods,
  resources.deployments,
  resources.replicaSets,
  resources.statefulSets,
  resources.controllerRevisions,
  resources.jobs,
  resources.services,
  resources.endpoints,
  resources.endpointSlices,
  resources.podDisruptionBudgets,
  resources.resourceQuotas,
  resources.configMaps,
  resources.serviceAccounts,
  resources.secrets,
];

async function countAll(client: ClientSet): Promise<number> {
  const counts = await Promise.all(
    counted.map(async (resource) => (await client.dynamic(resource).list()).items.length),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Sample {
  readonly rss: number;
  readonly files: number;
  readonly handles: number;
  readonly stall: number;
}

/** What the process says of itself, from time to time. */
class Samples {
  readonly curves: Readonly<Record<"open files" | "longest stall" | "waiting keys", Curve>> = {
    "open files": { unit: "", points: [] },
    "longest stall": { unit: "ms", points: [] },
    "waiting keys": { unit: "", points: [] },
  };
  readonly #manager: ManagerProcess;
  readonly #samples: Sample[] = [];

  constructor(manager: ManagerProcess) {
    this.#manager = manager;
  }

  async take(endMs: number): Promise<void> {
    while (realClock.monotonicMs() < endMs) {
      await sleep(realClock, SAMPLE_MS);
      const metrics = await this.#manager.metrics();
      const sample = {
        rss: this.#manager.usage().rssMiB,
        files: metrics.sum("process_open_fds"),
        handles: metrics.sum("nodejs_active_handles") + metrics.sum("go_goroutines"),
        stall: metrics.sum("nodejs_eventloop_lag_max_seconds") * 1_000,
      };
      this.#samples.push(sample);
      const seconds = this.#manager.elapsedSeconds;
      this.curves["open files"].points.push([seconds, sample.files]);
      this.curves["longest stall"].points.push([seconds, sample.stall]);
      this.curves["waiting keys"].points.push([seconds, metrics.sum("workqueue_depth")]);
    }
  }

  /** The first quarter is left out: caches and the engine fill up. */
  figures(): Record<string, number> {
    const quarter = Math.floor(this.#samples.length / 4);
    const [second, last] = [this.#samples.slice(quarter, 2 * quarter), this.#samples.slice(3 * quarter)];
    const of = (samples: readonly Sample[], name: keyof Sample): number =>
      median(samples.map((sample) => sample[name]));
    return {
      rss: of(second, "rss"),
      lastRss: of(last, "rss"),
      files: of(second, "files"),
      lastFiles: of(last, "files"),
      handles: of(second, "handles"),
      lastHandles: of(last, "handles"),
      stall: of(this.#samples, "stall"),
      lastStall: of(last, "stall"),
    };
  }
}
