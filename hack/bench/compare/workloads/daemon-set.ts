import { resources } from "../../../../pkg/api/resources.ts";
import type { DaemonSet } from "../../../../pkg/api/types/apps-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { follow, type Following } from "../follow.ts";
import { measured } from "../measured.ts";
import type { Curve } from "../outcome.ts";
import { createNamespace } from "../probe.ts";
import type { Workload } from "../workload.ts";

const NODES = 1_000;
const LIMIT_MS = 600_000;
const NAMESPACE = "load";
const LABELS = { app: "agent" };

/** A tenth of the nodes at a time get a new pod. */
const MAX_UNAVAILABLE = "10%";

export const daemonSet: Workload = {
  id: "e-daemon-set",
  title: `a DaemonSet on ${NODES.toLocaleString("en")} nodes, then a new template, ${MAX_UNAVAILABLE} of the nodes at a time`,
  needs: ["daemonset-controller"],
  nodes: NODES,
  rounds: 1,
  figures: {
    seconds: { label: "until it is available everywhere", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "API writes a node, Events too", unit: "" },
    rollSeconds: { label: "until it is rolled", unit: "s", goal: { bound: "at most", value: 1 } },
    rollCpu: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    rollWrites: { label: "API writes a node for that", unit: "" },
    peak: { label: "peak RSS", unit: "MiB" },
  },
  play: async (stage, start) => {
    const { client } = stage;
    await untilNodes(client);
    const manager = await start();
    await createNamespace(client, NAMESPACE);
    const progress = new Progress(client);
    try {
      await create(client, "first", { "kubernetes.io/hostname": "node-0" });
      await progress.complete("first", 1, 1);
      const created = await measured(manager, async () => {
        await create(client, "agent");
        await progress.complete("agent", 1, NODES);
      });
      const restart = { spec: { template: { metadata: { annotations: { restarted: "yes" } } } } };
      const ref = { namespace: NAMESPACE, name: "agent" };
      const rolled = await measured(manager, async () => {
        await client.clientFor(resources.daemonSets).patch(ref, { type: "strategic", body: restart });
        await progress.complete("agent", 2, NODES);
      });
      return {
        figures: {
          seconds: created.seconds,
          cpu: created.cpuSeconds,
          writes: created.writes / NODES,
          rollSeconds: rolled.seconds,
          rollCpu: rolled.cpuSeconds,
          rollWrites: rolled.writes / NODES,
          peak: manager.usage().peakRssMiB,
        },
        curves: { RSS: manager.rss, "pods available": progress.curve },
      };
    } finally {
      await progress.stop();
    }
  },
};

async function untilNodes(client: ClientSet): Promise<void> {
  const seen = new Set<string>();
  const following = follow(client, resources.nodes, {}, ({ object }) => seen.add(object.metadata.name ?? ""));
  await following.until(`${NODES} nodes are there`, () => seen.size >= NODES, LIMIT_MS);
  await following.stop();
}

async function create(
  client: ClientSet,
  name: string,
  nodeSelector: Readonly<Record<string, string>> = {},
): Promise<void> {
  const labels = { ...LABELS, name };
  await client.clientFor(resources.daemonSets).create({
    metadata: { namespace: NAMESPACE, name },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: MAX_UNAVAILABLE } },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector,
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image: "app:v1" }],
        },
      },
    },
  });
}

/** How far the DaemonSets are, from a watch. */
class Progress {
  readonly curve: Curve = { unit: "", points: [] };
  readonly #following: Following;
  readonly #latest = new Map<string, DaemonSet>();
  readonly #startMs = realClock.monotonicMs();

  constructor(client: ClientSet) {
    const { daemonSets } = resources;
    this.#following = follow<DaemonSet>(client, daemonSets, { namespace: NAMESPACE }, ({ object }) => {
      this.#latest.set(object.metadata.name ?? "", object);
      const available = object.status?.numberAvailable ?? 0;
      this.curve.points.push([(realClock.monotonicMs() - this.#startMs) / 1_000, available]);
    });
  }

  /** All nodes have an available pod of this generation's template. */
  async complete(name: string, generation: number, nodes: number): Promise<void> {
    const isComplete = (): boolean => {
      const { status } = this.#latest.get(name) ?? {};
      return (
        status?.observedGeneration === generation &&
        status.updatedNumberScheduled === nodes &&
        status.numberAvailable === nodes
      );
    };
    await this.#following.until(`generation ${generation} of ${name} is available`, isComplete, LIMIT_MS);
  }

  async stop(): Promise<void> {
    await this.#following.stop();
  }
}
