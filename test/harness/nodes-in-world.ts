import { resources } from "../../pkg/api/resources.ts";
import { formatMicroTime, formatTime } from "../../pkg/api/time.ts";
import type { Node, NodeCondition, NodeSpec, Pod, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import type { ControllerWorld } from "./controller-world.ts";

const LEASE_NAMESPACE = "kube-node-lease";
const RENEW_MS = 10_000;

export interface NodeSketch {
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Status of Ready; null: there is no status. "True" by default. */
  readonly ready?: string | null;
  readonly conditions?: readonly NodeCondition[];
  readonly spec?: NodeSpec;
  /** Whether it has a Lease. Default true. */
  readonly lease?: boolean;
}

/** The kubelets of a world: their nodes renew Leases while time passes through `run`, until they fall silent. */
export class NodesInWorld {
  readonly #world: ControllerWorld;
  readonly #alive = new Set<string>();
  readonly #leased = new Set<string>();
  #hasNamespace = false;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async add(name: string, sketch: NodeSketch = {}): Promise<Node> {
    const { zone, labels = {}, ready = "True", conditions = [], spec, lease = true } = sketch;
    const zoneLabels = zone === undefined ? {} : { "topology.kubernetes.io/zone": zone };
    const object: Node = {
      metadata: { name, labels: { ...zoneLabels, ...labels } },
      ...(spec && { spec }),
      ...(ready !== null && { status: { conditions: [this.#ready(ready), ...conditions] } }),
    };
    const node = await this.#world.create(resources.nodes, object);
    if (lease) await this.renew(name);
    this.#alive.add(name);
    return node;
  }

  /** From now on they renew nothing. */
  silence(...names: readonly string[]): void {
    for (const name of names) this.#alive.delete(name);
  }

  /** They renew their Leases again, and say how they are. */
  async revive(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#alive.add(name);
      await this.report(name, "True");
      await this.renew(name);
    }
  }

  /** The kubelet posts its status. */
  async report(name: string, ready: string, conditions: readonly NodeCondition[] = []): Promise<void> {
    const body = { status: { conditions: [this.#ready(ready), ...conditions] } };
    const patch = { type: "strategic", body } as const;
    await this.#world.client.clientFor(resources.nodes).patch({ name }, patch, { subresource: "status" });
  }

  async renew(name: string): Promise<void> {
    const client = this.#world.client.clientFor(resources.leases);
    const spec = { renewTime: formatMicroTime(this.#world.clock.nowMs()) };
    const ref = { namespace: LEASE_NAMESPACE, name };
    await this.#makeNamespace();
    if (this.#leased.has(name)) await client.patch(ref, { type: "merge", body: { spec } });
    else
      await client.create({
        metadata: ref,
        spec: { holderIdentity: name, leaseDurationSeconds: 40, ...spec },
      });
    this.#leased.add(name);
  }

  /** Lets time pass, while who is alive renews a Lease every 10 seconds. */
  async run(durationMs: number): Promise<void> {
    for (let left = durationMs; left > 0; left -= RENEW_MS) {
      for (const name of this.#alive) await this.renew(name);
      await this.#world.run(Math.min(left, RENEW_MS));
    }
  }

  /** A pod of the node that is ready. */
  async addPod(name: string, nodeName: string, ready = "True"): Promise<Pod> {
    return this.#world.createWithStatus<Pod>(resources.pods, {
      metadata: { name },
      spec: { nodeName, containers: [{ name: "main", image: "main" }] },
      status: {
        phase: "Running",
        conditions: [
          { type: "Ready", status: ready, lastTransitionTime: formatTime(this.#world.clock.nowMs()) },
        ],
      },
    });
  }

  async get(name: string): Promise<Node> {
    return this.#world.get(resources.nodes, name);
  }

  /** "True", "False", "Unknown"; "" where there is no such condition. */
  async condition(name: string, type = "Ready"): Promise<string> {
    const { status } = await this.get(name);
    return status?.conditions?.find((condition) => condition.type === type)?.status ?? "";
  }

  /** E.g. "unreachable:NoExecute unreachable:NoSchedule", in order of the alphabet. */
  async taints(name: string): Promise<string> {
    const { spec } = await this.get(name);
    return (spec?.taints ?? []).map(taintText).toSorted().join(" ");
  }

  async podReady(name: string): Promise<string> {
    const { status } = await this.#world.get(resources.pods, name);
    return status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "";
  }

  #ready(status: string): NodeCondition {
    const now = formatTime(this.#world.clock.nowMs());
    return {
      type: "Ready",
      status,
      reason: "Kubelet",
      message: "",
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
  }

  async #makeNamespace(): Promise<void> {
    if (this.#hasNamespace) return;
    this.#hasNamespace = true;
    await this.#world.client.clientFor(resources.namespaces).create({ metadata: { name: LEASE_NAMESPACE } });
  }
}

function taintText({ key, effect }: Taint): string {
  return `${key.replace("node.kubernetes.io/", "")}:${effect}`;
}
