import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime, parseTime } from "../../pkg/api/time.ts";
import type { Node, Pod, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { Kubelets } from "../harness/kubelets.ts";
import { POD_NETWORK_FLAGS } from "../harness/kubeadm-flags.ts";
import type { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";

const { nodes, pods, serviceAccounts } = resources;
const UNREACHABLE = "node.kubernetes.io/unreachable";
export const GRACE_MS = 8_000;

/**
 * Managers that soon say that a node is silent, and give nodes their ranges. The Go program does not give its Lease back: it
 * must end before the times of pods do.
 */
export const NODE_FLAGS: readonly string[] = [
  "--leader-elect-lease-duration=12s",
  "--leader-elect-renew-deadline=10s",
  "--node-monitor-period=1s",
  `--node-monitor-grace-period=${GRACE_MS / 1_000}s`,
  ...POD_NETWORK_FLAGS,
];

/** For how many seconds pods of the lost node tolerate that; null: for ever; undefined: for as long as pods do by default. */
const TIMES = { "at-once": 0, missed: 10, due: 40, default: undefined, "for-ever": null } as const;
type PodName = keyof typeof TIMES;
export const DUE_MS = TIMES.due * 1_000;
const MISSED_MS = TIMES.missed * 1_000;

/** A node that is lost while one manager leads, and another that falls silent while nobody does. */
export class Outage {
  readonly lost: string;
  readonly dying: string;
  readonly #space: TestSpace;
  readonly #kubelets: Kubelets;
  #silentMs = 0;

  constructor(space: TestSpace, kubelets: Kubelets, round: string) {
    this.#space = space;
    this.#kubelets = kubelets;
    this.lost = `lost-${round}`;
    this.dying = `dying-${round}`;
  }

  /** Up to when the lost node has its taints, and its pods are not ready and wait for their times. */
  async begin(): Promise<void> {
    for (const name of [this.lost, this.dying]) await addNode(this.#space, this.#kubelets, name);
    await until("pods can be made", async () => {
      return (await this.#space.find(serviceAccounts, "default")) !== undefined;
    });
    for (const [name, seconds] of Object.entries(TIMES)) await this.#addPod(name, this.lost, seconds);
    await this.#addPod("on-dying", this.dying, undefined);
    this.#kubelets.silence(this.lost);
    await this.untilTainted(this.lost);
    await until("its pods are not ready, and who does not tolerate is evicted", async () => {
      const all = await Promise.all((Object.keys(TIMES) as PodName[]).map(async (name) => this.pod(name)));
      return all.every(isUnready) && isEvicted(await this.pod("at-once"));
    });
  }

  /** While nobody leads: the time of one pod ends. */
  async goOn(): Promise<void> {
    this.#kubelets.silence(this.dying);
    this.#silentMs = realClock.nowMs();
    const endMs = (await this.lostMs()) + 1_000 + MISSED_MS;
    await until("the time of a pod is over", () => realClock.nowMs() > endMs);
  }

  /** Since when the lost node has the taint, to the second. */
  async lostMs(): Promise<number> {
    const taint = (await this.node(this.lost)).spec?.taints?.find(isEvicting);
    return parseTime(taint?.timeAdded) ?? Number.NaN;
  }

  /** How long nothing was heard of the second node before it was said to be unreachable. */
  async deathMs(): Promise<number> {
    const { spec } = await this.node(this.dying);
    return (parseTime(spec?.taints?.find(isEvicting)?.timeAdded) ?? Number.NaN) - this.#silentMs;
  }

  async untilTainted(name: string): Promise<void> {
    await until(`${name} is tainted`, async () => {
      return taintsOf(await this.node(name)) === "unreachable:NoExecute unreachable:NoSchedule";
    });
  }

  async untilEvicted(name: PodName): Promise<void> {
    await until(`${name} is evicted`, async () => isEvicted(await this.pod(name)));
  }

  async end(): Promise<void> {
    await this.#kubelets.revive(this.lost, this.dying);
    for (const name of [this.lost, this.dying])
      await until(`${name} is well`, async () => taintsOf(await this.node(name)) === "");
  }

  async node(name: string): Promise<Node> {
    return this.#space.client.clientFor<Node>(nodes).get({ name });
  }

  async pod(name: PodName | "on-dying"): Promise<Pod> {
    return this.#space.get<Pod>(pods, name);
  }

  async #addPod(name: string, nodeName: string, seconds: number | null | undefined): Promise<void> {
    const { namespace, client } = this.#space;
    const containers = [{ name: "main", image: "main" }];
    const tolerations = seconds === undefined ? [] : [toleration(seconds)];
    await this.#space.create<Pod>(pods, { metadata: { name }, spec: { nodeName, containers, tolerations } });
    const body = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
    const patch = { type: "strategic", body } as const;
    await client.clientFor(pods).patch({ namespace, name }, patch, { subresource: "status" });
  }
}

/** A node that is well, with all that the manager gives to nodes. */
export async function addNode({ client }: TestSpace, kubelets: Kubelets, name: string): Promise<void> {
  const now = formatTime(realClock.nowMs());
  const ready = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now };
  const labels = { "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r" };
  await kubelets.add({ metadata: { name, labels }, status: { conditions: [ready] } });
  await until(`${name} has a range, and pods may come`, async () => {
    const node = await client.clientFor<Node>(nodes).get({ name });
    const ttl = node.metadata.annotations?.["node.alpha.kubernetes.io/ttl"];
    return node.spec?.podCIDR !== undefined && ttl === "0" && taintsOf(node) === "";
  });
}

function toleration(seconds: number | null): Toleration {
  const times = seconds === null ? {} : { tolerationSeconds: seconds };
  return { key: UNREACHABLE, operator: "Exists", effect: "NoExecute", ...times };
}

function isEvicting({ key, effect }: { readonly key: string; readonly effect: string }): boolean {
  return key === UNREACHABLE && effect === "NoExecute";
}

function taintsOf({ spec }: Node): string {
  return (spec?.taints ?? [])
    .map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`)
    .toSorted()
    .join(" ");
}

export function isEvicted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isUnready({ status }: Pod): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "False";
}
