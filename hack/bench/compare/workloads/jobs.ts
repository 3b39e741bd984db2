import { isJobFinished } from "../../../../pkg/api/job.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import type { Job, JobSpec } from "../../../../pkg/api/types/batch-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { PODS_PER_NODE } from "../../../../pkg/cluster/hollow/node-object.ts";
import { SCRIPT_ANNOTATION } from "../../../../pkg/cluster/hollow/script.ts";
import { until } from "../../../../test/harness/until.ts";
import { inParallel } from "../in-parallel.ts";
import type { Curve } from "../outcome.ts";
import { createNamespace } from "../probe.ts";
import { writesOf } from "../scraped-metrics.ts";
import type { Workload } from "../workload.ts";

const NAMESPACE = "load";
const LIMIT_MS = 900_000;
const LOOK_MS = 1_000;

interface Shape {
  readonly id: string;
  readonly title: string;
  readonly jobs: number;
  readonly completions: number;
  readonly parallelism: number;
  readonly mode: "Indexed" | "NonIndexed";
}

/** Jobs whose pods end at once, until all are complete. */
function jobs({ id, title, jobs: count, completions, parallelism, mode }: Shape): Workload {
  return {
    id,
    title,
    needs: ["job-controller"],
    rounds: 1,
    nodes: Math.ceil((count * parallelism * 1.2) / PODS_PER_NODE),
    figures: {
      seconds: { label: "until all are complete", unit: "s", goal: { bound: "at most", value: 1 } },
      cpu: { label: "CPU for 1,000 pods", unit: "s", goal: { bound: "at most", value: 1 } },
      writes: { label: "API writes a pod, Events too", unit: "" },
      peak: { label: "peak RSS", unit: "MiB" },
      idle: { label: "writes in the 5 s after", unit: "" },
    },
    play: async (stage, start) => {
      const { client } = stage;
      const manager = await start();
      const names = Array.from(
        { length: count === 1 ? 1 : stage.scaled(count) },
        (_, index) => `job-${index}`,
      );
      const each = count === 1 ? stage.scaled(completions) : completions;
      await createNamespace(client, NAMESPACE);
      await complete(client, "first", { parallelism: 1, completions: 1 });
      const progress = new Progress(client);
      const [writes, { cpuSeconds }] = [writesOf(await manager.metrics()), manager.usage()];
      const startMs = realClock.monotonicMs();
      const spec = { completions: each, parallelism, completionMode: mode };
      await inParallel(names, async (name) => createJob(client, name, spec));
      await progress.until(names.length);
      const seconds = (realClock.monotonicMs() - startMs) / 1_000;
      await manager.settle(60_000);
      const after = writesOf(await manager.metrics());
      const usage = await manager.settle(60_000, 5_000);
      const pods = names.length * each;
      return {
        figures: {
          seconds,
          cpu: ((usage.cpuSeconds - cpuSeconds) * 1_000) / pods,
          writes: (after - writes) / pods,
          peak: usage.peakRssMiB,
          idle: writesOf(await manager.metrics()) - after,
        },
        curves: { RSS: manager.rss, "pods succeeded": progress.curve },
      };
    },
  };
}

export const jobWorkloads: readonly Workload[] = [
  jobs({
    id: "d-jobs",
    title: "1,000 Jobs of 5 pods at once",
    jobs: 1_000,
    completions: 5,
    parallelism: 5,
    mode: "NonIndexed",
  }),
  jobs({
    id: "d-indexes",
    title: "a Job of 10,000 indexes, 1,000 at a time",
    jobs: 1,
    completions: 10_000,
    parallelism: 1_000,
    mode: "Indexed",
  }),
];

async function createJob(client: ClientSet, name: string, spec: Partial<JobSpec>): Promise<void> {
  const metadata = { annotations: { [SCRIPT_ANNOTATION]: "exit 0" } };
  const containers = [{ name: "main", image: "app:v1" }];
  const template = { metadata, spec: { restartPolicy: "Never", containers } };
  await client
    .clientFor<Job>(resources.jobs)
    .create({ metadata: { namespace: NAMESPACE, name }, spec: { template, ...spec } });
}

/** The manager is at work once this Job is complete. */
async function complete(client: ClientSet, name: string, spec: Partial<JobSpec>): Promise<void> {
  await createJob(client, name, spec);
  await new Progress(client).until(1);
  await client
    .clientFor(resources.jobs)
    .delete({ namespace: NAMESPACE, name }, { propagationPolicy: "Background" });
}

/** How far the Jobs are, looked up once a second. */
class Progress {
  readonly curve: Curve = { unit: "", points: [] };
  readonly #client: ClientSet;
  readonly #startMs = realClock.monotonicMs();

  constructor(client: ClientSet) {
    this.#client = client;
  }

  async until(finished: number): Promise<void> {
    const isOver = async (): Promise<boolean> => (await this.#look()) >= finished;
    await until(`${finished} Jobs are complete`, isOver, LIMIT_MS, LOOK_MS);
  }

  async #look(): Promise<number> {
    const { items } = await this.#client.clientFor<Job>(resources.jobs).list({ namespace: NAMESPACE });
    const succeeded = items.reduce((sum, { status }) => sum + (status?.succeeded ?? 0), 0);
    this.curve.points.push([(realClock.monotonicMs() - this.#startMs) / 1_000, succeeded]);
    return items.filter((job) => isJobFinished(job)).length;
  }
}
