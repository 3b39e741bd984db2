import { resources } from "../../../../pkg/api/resources.ts";
import type { Deployment } from "../../../../pkg/api/types/apps-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { PODS_PER_NODE } from "../../../../pkg/cluster/hollow/node-object.ts";
import { follow, type Following } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import type { Curve } from "../outcome.ts";
import { createNamespace, firstPod, plainDeployment } from "../probe.ts";
import type { Workload } from "../workload.ts";

const DEPLOYMENTS = 200;
const REPLICAS = 25;
const LIMIT_MS = 300_000;
const NAMESPACE = "load";
/** A rolling update needs a quarter more, and the pods that end are still there. */
const NODES = Math.ceil((DEPLOYMENTS * REPLICAS * 1.6) / PODS_PER_NODE);

export const deployments: Workload = {
  id: "b-deployments",
  title: `${DEPLOYMENTS} Deployments of ${REPLICAS} at once, then (c) a new template for all of them`,
  needs: ["deployment-controller", "replicaset-controller"],
  nodes: NODES,
  figures: {
    rate: {
      label: "pods a second, until all are available",
      unit: "/s",
      goal: { bound: "at least", value: 1 },
    },
    cpu: { label: "CPU for 1,000 pods", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "API writes a pod, Events too", unit: "" },
    settled: { label: "RSS when all is quiet", unit: "MiB" },
    peak: { label: "peak RSS", unit: "MiB" },
    rollSeconds: { label: "(c) rolling restart of all", unit: "s", goal: { bound: "at most", value: 1 } },
    rollCpu: { label: "(c) CPU for 1,000 pods", unit: "s", goal: { bound: "at most", value: 1 } },
    rollWrites: { label: "(c) API writes a pod", unit: "" },
  },
  play: async (stage, start) => {
    const { client } = stage;
    const manager = await start();
    await warmUp(client);
    const names = Array.from({ length: stage.scaled(DEPLOYMENTS) }, (_, index) => `web-${index}`);
    const rollout = new Rollout(client);
    try {
      const create = async (name: string): Promise<unknown> =>
        client.clientFor(resources.deployments).create(plainDeployment(NAMESPACE, name, REPLICAS));
      const created = await measured(manager, async () => {
        await inParallel(names, create);
        await rollout.complete(names.length, 1);
      });
      const curve = rollout.curve;
      await manager.settle(60_000);
      const settled = manager.usage();
      const restart = { spec: { template: { metadata: { annotations: { restarted: "yes" } } } } };
      const rolled = await measured(manager, async () => {
        await inParallel(names, async (name) =>
          client
            .clientFor(resources.deployments)
            .patch({ namespace: NAMESPACE, name }, { type: "strategic", body: restart }),
        );
        await rollout.complete(names.length, 2);
      });
      const pods = names.length * REPLICAS;
      return {
        figures: {
          rate: pods / created.seconds,
          cpu: (created.cpuSeconds * 1_000) / pods,
          writes: created.writes / pods,
          settled: settled.rssMiB,
          peak: settled.peakRssMiB,
          rollSeconds: rolled.seconds,
          rollCpu: (rolled.cpuSeconds * 1_000) / pods,
          rollWrites: rolled.writes / pods,
        },
        curves: { RSS: manager.rss, "pods available": curve },
      };
    } finally {
      await rollout.stop();
    }
  },
};

/** The manager is at work: the first Deployment has its pod. */
async function warmUp(client: ClientSet): Promise<void> {
  await createNamespace(client, "first");
  await client.clientFor(resources.deployments).create(plainDeployment("first", "first", 1));
  await firstPod(client, "first", "first", LIMIT_MS);
  await createNamespace(client, NAMESPACE);
}

/** How far the Deployments are, from a watch. */
class Rollout {
  readonly curve: Curve = { unit: "", points: [] };
  readonly #following: Following;
  readonly #latest = new Map<string, Deployment>();
  #available = 0;
  #startMs: number | undefined;

  constructor(client: ClientSet) {
    this.#following = follow<Deployment>(
      client,
      resources.deployments,
      { namespace: NAMESPACE },
      ({ object }) => {
        this.#startMs ??= realClock.monotonicMs();
        const name = object.metadata.name ?? "";
        this.#available += availableOf(object) - availableOf(this.#latest.get(name));
        this.#latest.set(name, object);
        this.curve.points.push([(realClock.monotonicMs() - this.#startMs) / 1_000, this.#available]);
      },
    );
  }

  /** All Deployments have all pods of this generation's template available, and no others. */
  async complete(count: number, generation: number): Promise<void> {
    const isComplete = ({ metadata, status }: Deployment): boolean =>
      metadata.generation === generation &&
      status?.observedGeneration === generation &&
      status.updatedReplicas === REPLICAS &&
      status.replicas === REPLICAS &&
      status.availableReplicas === REPLICAS;
    const all = (): boolean => this.#latest.size === count && [...this.#latest.values()].every(isComplete);
    try {
      await this.#following.until(`generation ${generation} of all Deployments is available`, all, LIMIT_MS);
    } catch (error) {
      const late = [...this.#latest.values()].filter((deployment) => !isComplete(deployment));
      const [first] = late;
      const example = `${first?.metadata.name} ${JSON.stringify(first?.status)}`;
      throw new Error(`${late.length} of ${count} Deployments are late, such as ${example}`, {
        cause: error,
      });
    }
  }

  async stop(): Promise<void> {
    await this.#following.stop();
  }
}

function availableOf(deployment: Deployment | undefined): number {
  return deployment?.status?.availableReplicas ?? 0;
}
