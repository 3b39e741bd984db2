import { hasTaint } from "../../../../pkg/api/node.ts";
import { podCondition } from "../../../../pkg/api/pod.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import { parseMicros } from "../../../../pkg/api/time.ts";
import type { Node, Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import { NODE_FAILURE_ANNOTATION } from "../../../../pkg/cluster/hollow/node-failure.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { follow, type Following } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import type { Outcome } from "../outcome.ts";
import { createNamespace } from "../probe.ts";
import type { Stage } from "../stage.ts";
import { storedPodsOn } from "../stored-objects.ts";
import type { StartManager, Workload } from "../workload.ts";

const NODES = 5_000;
const DYING = 50;
const LIVING = NODES - DYING;
/** Pods that are stored at a time. */
const BATCH = 5_000;
const NAMESPACE = "load";
const STEADY_MS = 60_000;
const SETTLE_LIMIT_MS = 20_000;
const LIMIT_MS = 600_000;
const UNREACHABLE = "node.kubernetes.io/unreachable";

interface Crowd {
  readonly id: string;
  /** On nodes that will die, and on the others. */
  readonly podsOfEach: { readonly dying: number; readonly living: number };
  readonly whenNamed?: boolean;
}

const figures = {
  first: {
    label: "start until all have the labels that they lacked",
    unit: "s",
    goal: { bound: "at most", value: 1 },
  },
  startCpu: { label: "CPU until it is settled", unit: "s", goal: { bound: "at most", value: 1 } },
  cpu: { label: "CPU of a steady minute", unit: "s", goal: { bound: "at most", value: 1 } },
  rss: { label: "RSS after it", unit: "MiB", goal: { bound: "at most", value: 0.5 } },
  oldest: { label: "oldest Lease then (of the test bed)", unit: "s" },
  tainted: { label: "from death to the last unreachable:NoSchedule", unit: "s" },
  emptied: { label: "from death to the first unreachable:NoExecute", unit: "s" },
  marked: { label: "from death to the last pod marked", unit: "s", goal: { bound: "at most", value: 1 } },
  deathCpu: { label: "CPU from death to that", unit: "s", goal: { bound: "at most", value: 1 } },
} as const;

/** Nodes that say all the time that they live; then a hundredth of them falls silent. */
export function nodeHeartbeats({ id, podsOfEach, whenNamed = false }: Crowd): Workload {
  const dyingPods = DYING * podsOfEach.dying;
  const livingPods = LIVING * podsOfEach.living;
  const beside = livingPods === 0 ? "" : `, beside ${livingPods.toLocaleString("en")} others`;
  return {
    id,
    title: `${NODES.toLocaleString("en")} nodes that renew their Leases every 10 s; then ${DYING} of them die, with ${dyingPods.toLocaleString("en")} pods${beside}`,
    needs: ["node-lifecycle-controller", "taint-eviction-controller"],
    alone: true,
    nodes: NODES,
    rounds: 1,
    whenNamed,
    figures,
    play: async (stage, start) => {
      const watched = new Watched(stage.client);
      try {
        return await live(stage, start, { watched, dyingPods, livingPods });
      } finally {
        await watched.stop();
      }
    },
  };
}

interface Living {
  readonly watched: Watched;
  readonly dyingPods: number;
  readonly livingPods: number;
}

async function live(
  stage: Stage,
  start: StartManager,
  { watched, dyingPods, livingPods }: Living,
): Promise<Outcome> {
  const { client } = stage;
  await watched.untilNodes(NODES);
  await storePods(stage, livingPods);
  await createPods(client, dyingPods / DYING);
  await watched.untilReady(dyingPods);
  const manager = await start();
  await watched.untilLabelled(NODES);
  const first = manager.elapsedSeconds;
  const { cpuSeconds: startCpu } = await manager.settle(SETTLE_LIMIT_MS);
  await sleep(realClock, STEADY_MS);
  const { cpuSeconds, rssMiB } = manager.usage();
  const oldest = await oldestLease(client);
  const death = await die(client);
  await watched.untilDead();
  return {
    figures: {
      first,
      startCpu,
      cpu: ((cpuSeconds - startCpu) * 60_000) / STEADY_MS,
      rss: rssMiB,
      oldest,
      tainted: (watched.lastTaintedMs - death) / 1_000,
      emptied: (watched.firstEmptiedMs - death) / 1_000,
      marked: (watched.lastMarkedMs - death) / 1_000,
      deathCpu: manager.usage().cpuSeconds - cpuSeconds,
    },
    curves: { RSS: manager.rss },
  };
}

const dying = Array.from({ length: DYING }, (_, index) => `node-${NODES - 1 - index}`);

/** On nodes that go on living. */
async function storePods(stage: Stage, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    await stage.store(storedPodsOn(LIVING, first, Math.min(BATCH, count - first)));
  }
}

/** They are on their nodes from the start: no scheduler has to think about them. */
async function createPods(client: ClientSet, ofEach: number): Promise<void> {
  await createNamespace(client, NAMESPACE);
  const pods = dying.flatMap((nodeName) =>
    Array.from({ length: ofEach }, (_, index): Pod => ({
      metadata: { namespace: NAMESPACE, name: `${nodeName}-${index}` },
      spec: { nodeName, containers: [{ name: "main", image: "app:v1" }] },
    })),
  );
  await inParallel(pods, async (pod) => client.clientFor<Pod>(resources.pods).create(pod));
}

/** Gives when the last of them was told to be silent. */
async function die(client: ClientSet): Promise<number> {
  const body = { metadata: { annotations: { [NODE_FAILURE_ANNOTATION]: "silent" } } };
  await inParallel(dying, async (name) =>
    client.clientFor(resources.nodes).patch({ name }, { type: "merge", body }),
  );
  return realClock.monotonicMs();
}

/** How far the nodes are behind with their heartbeats, in seconds. */
async function oldestLease(client: ClientSet): Promise<number> {
  const { items } = await client.clientFor(resources.leases).list({ namespace: "kube-node-lease" });
  const nowMs = realClock.nowMs();
  const ages = items.map(({ spec }) => nowMs - (parseMicros(spec?.renewTime) ?? 0) / 1_000);
  return Math.max(...ages) / 1_000;
}

/** What is seen of nodes and pods. */
class Watched {
  lastTaintedMs = Number.NaN;
  firstEmptiedMs = Number.NaN;
  lastMarkedMs = Number.NaN;
  readonly #nodes: Following;
  readonly #pods: Following;
  readonly #known = new Set<string>();
  readonly #labelled = new Set<string>();
  readonly #tainted = new Set<string>();
  readonly #ready = new Set<string>();

  constructor(client: ClientSet) {
    this.#nodes = follow<Node>(client, resources.nodes, {}, ({ object }) => this.#seeNode(object));
    this.#pods = follow<Pod>(client, resources.pods, { namespace: NAMESPACE }, ({ object }) => {
      const { name = "" } = object.metadata;
      if (podCondition(object, "Ready")?.status === "True") this.#ready.add(name);
      else if (this.#ready.delete(name)) this.lastMarkedMs = realClock.monotonicMs();
    });
  }

  async untilNodes(count: number): Promise<void> {
    await this.#nodes.until(`${count} nodes are ready`, () => this.#known.size >= count, LIMIT_MS);
  }

  async untilReady(count: number): Promise<void> {
    await this.#pods.until(`${count} pods are ready`, () => this.#ready.size >= count, LIMIT_MS);
  }

  async untilLabelled(count: number): Promise<void> {
    await this.#nodes.until(`${count} nodes are labelled`, () => this.#labelled.size >= count, LIMIT_MS);
  }

  async untilDead(): Promise<void> {
    await this.#pods.until("all pods are marked", () => this.#ready.size === 0, LIMIT_MS);
    await this.#nodes.until("all nodes are tainted", () => this.#tainted.size >= DYING, LIMIT_MS);
    await this.#nodes.until("a node is emptied", () => this.firstEmptiedMs > 0, LIMIT_MS);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#nodes.stop(), this.#pods.stop()]);
  }

  #seeNode({ metadata, spec, status }: Node): void {
    const { name = "", labels } = metadata;
    if (status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true)
      this.#known.add(name);
    if (labels?.["beta.kubernetes.io/os"] !== undefined) this.#labelled.add(name);
    if (!dying.includes(name)) return;
    const has = (effect: string): boolean => hasTaint(spec?.taints, { key: UNREACHABLE, effect });
    const nowMs = realClock.monotonicMs();
    if (has("NoSchedule") && !this.#tainted.has(name)) {
      this.#tainted.add(name);
      this.lastTaintedMs = nowMs;
    }
    if (has("NoExecute") && Number.isNaN(this.firstEmptiedMs)) this.firstEmptiedMs = nowMs;
  }
}
