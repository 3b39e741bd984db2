import { resources } from "../../../../pkg/api/resources.ts";
import type { StatefulSet } from "../../../../pkg/api/types/apps-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { PODS_PER_NODE } from "../../../../pkg/cluster/hollow/node-object.ts";
import { follow, type Following } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import type { Curve } from "../outcome.ts";
import { createNamespace } from "../probe.ts";
import type { Workload } from "../workload.ts";

const SETS = 100;
const REPLICAS = 10;
const LIMIT_MS = 600_000;
const NAMESPACE = "load";
/** The pods that end are still there. */
const NODES = Math.ceil((SETS * REPLICAS * 1.6) / PODS_PER_NODE);

type Policy = "OrderedReady" | "Parallel";

/** In turn each pod waits for the one before it: seconds tell how soon a controller sees what has happened. */
export const statefulSetWorkloads: readonly Workload[] = [
  workload("t-ordered", "OrderedReady", "one pod after the other"),
  workload("t-parallel", "Parallel", "all pods at once"),
  workload("v-sets", "Parallel", "volumes attached to nodes, all pods at once", [
    "persistentvolume-attach-detach-controller",
  ]),
];

function workload(
  id: string,
  podManagementPolicy: Policy,
  how: string,
  nodesAwait: readonly string[] = [],
): Workload {
  return {
    id,
    title: `${SETS} StatefulSets of ${REPLICAS} with a claim each, ${how}, then a new template for all of them`,
    needs: ["statefulset-controller", "persistentvolume-binder-controller", ...nodesAwait],
    nodes: NODES,
    nodesAwait,
    rounds: 1,
    figures: {
      seconds: { label: "until all are available", unit: "s", goal: { bound: "at most", value: 1 } },
      cpu: { label: "CPU for 1,000 pods", unit: "s", goal: { bound: "at most", value: 1 } },
      writes: { label: "API writes a pod, claims and Events too", unit: "" },
      rollSeconds: { label: "until all are rolled", unit: "s", goal: { bound: "at most", value: 1 } },
      rollCpu: { label: "CPU for 1,000 pods of that", unit: "s", goal: { bound: "at most", value: 1 } },
      rollWrites: { label: "API writes a pod for that", unit: "" },
      peak: { label: "peak RSS", unit: "MiB" },
    },
    play: async (stage, start) => {
      const { client } = stage;
      const statefulSets = client.clientFor(resources.statefulSets);
      const manager = await start();
      await createNamespace(client, NAMESPACE);
      const names = Array.from({ length: stage.scaled(SETS) }, (_, index) => `db-${index}`);
      const progress = new Progress(client);
      try {
        // The manager is at work.
        await statefulSets.create(statefulSet("first", podManagementPolicy));
        await progress.complete(["first"], 1);
        const created = await measured(manager, async () => {
          await inParallel(names, async (name) =>
            statefulSets.create(statefulSet(name, podManagementPolicy)),
          );
          await progress.complete(names, 1);
        });
        const restart = { spec: { template: { metadata: { annotations: { restarted: "yes" } } } } };
        const rolled = await measured(manager, async () => {
          await inParallel(names, async (name) =>
            statefulSets.patch({ namespace: NAMESPACE, name }, { type: "strategic", body: restart }),
          );
          await progress.complete(names, 2);
        });
        const pods = names.length * REPLICAS;
        return {
          figures: {
            seconds: created.seconds,
            cpu: (created.cpuSeconds * 1_000) / pods,
            writes: created.writes / pods,
            rollSeconds: rolled.seconds,
            rollCpu: (rolled.cpuSeconds * 1_000) / pods,
            rollWrites: rolled.writes / pods,
            peak: manager.usage().peakRssMiB,
          },
          curves: { RSS: manager.rss, "pods available": progress.curve },
        };
      } finally {
        await progress.stop();
      }
    },
  };
}

function statefulSet(name: string, podManagementPolicy: Policy): StatefulSet {
  const labels = { app: name };
  return {
    metadata: { namespace: NAMESPACE, name },
    spec: {
      replicas: REPLICAS,
      podManagementPolicy,
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "app:v1" }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  };
}

/** How far the StatefulSets are, from a watch. */
class Progress {
  readonly curve: Curve = { unit: "", points: [] };
  readonly #following: Following;
  readonly #latest = new Map<string, StatefulSet>();
  readonly #startMs = realClock.monotonicMs();
  #available = 0;

  constructor(client: ClientSet) {
    const options = { namespace: NAMESPACE };
    this.#following = follow<StatefulSet>(client, resources.statefulSets, options, ({ object }) => {
      const name = object.metadata.name ?? "";
      this.#available += availableOf(object) - availableOf(this.#latest.get(name));
      this.#latest.set(name, object);
      this.curve.points.push([(realClock.monotonicMs() - this.#startMs) / 1_000, this.#available]);
    });
  }

  /** All pods of these are available and of this generation's template. */
  async complete(names: readonly string[], generation: number): Promise<void> {
    const isComplete = (name: string): boolean => {
      const { status } = this.#latest.get(name) ?? {};
      return (
        status?.observedGeneration === generation &&
        status.updatedReplicas === REPLICAS &&
        status.availableReplicas === REPLICAS
      );
    };
    const what = `generation ${generation} of ${names.length} StatefulSets is available`;
    await this.#following.until(what, () => names.every(isComplete), LIMIT_MS);
  }

  async stop(): Promise<void> {
    await this.#following.stop();
  }
}

function availableOf(set: StatefulSet | undefined): number {
  return set?.status?.availableReplicas ?? 0;
}
