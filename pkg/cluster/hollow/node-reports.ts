import type { Stored, StoredObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Node } from "../../api/types/core-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { isAlreadyExists, isNotFound } from "../../client/errors.ts";
import type { Env } from "../../controller/env.ts";
import { saysSo } from "./node-conditions.ts";
import { knownFailures, NODE_FAILURE_ANNOTATION, nodeFailures } from "./node-failure.ts";
import { hollowNode, hollowNodeStatus } from "./node-object.ts";
import type { Projected } from "../../api/projected.ts";

export interface ReportSettings {
  readonly kubeletVersion?: string | undefined;
  /** Nobody else takes away the taint that the server gives to new nodes. */
  readonly admitsPods: boolean;
  readonly awaitsRange: boolean;
}

/** What is read of nodes. */
export const NODE_FIELDS = [
  `metadata.annotations[${NODE_FAILURE_ANNOTATION}]`,
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
  // Read by kubelets.
  "spec.podCIDR",
  "status.volumesAttached",
  "status.volumesInUse",
] as const;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;

const LEASE_NAMESPACE = "kube-node-lease";
const LEASE_SECONDS = 40;
const STATUS_MS = 300_000;

/** What the kubelets tell of their nodes: that they live, by Leases, and how they are, now and then and when it changes. */
export class NodeReports {
  readonly #env: Env;
  readonly #nodes: Lister<CachedNode>;
  readonly #settings: ReportSettings;
  /** When each node last told how it is. */
  readonly #told = new Map<number, number>();
  readonly #nodeClient;
  readonly #leaseClient;

  constructor(env: Env, nodes: Lister<CachedNode>, settings: ReportSettings) {
    this.#env = env;
    this.#nodes = nodes;
    this.#settings = settings;
    this.#nodeClient = env.client.clientFor(resources.nodes);
    this.#leaseClient = env.client.clientFor(resources.leases);
  }

  isSilent(name: string): boolean {
    const node = this.#nodes.getByKey(name);
    return node !== undefined && nodeFailures(node).has("silent");
  }

  /** One turn of a node. One that has come back tells at once how it is. */
  async report(name: string, index: number, signal: AbortSignal): Promise<void> {
    const node = this.#nodes.getByKey(name);
    const nowMs = this.#env.clock.monotonicMs();
    if (this.isSilent(name)) {
      this.#told.delete(index);
      return;
    }
    const isDue = nowMs - (this.#told.get(index) ?? -Infinity) >= STATUS_MS;
    if (isDue || (node !== undefined && !saysSo(nodeFailures(node), node.status?.conditions))) {
      await this.#tell(node, index, signal);
      this.#told.set(index, nowMs);
    }
    await this.#renewLease(name, node, signal);
  }

  /** Somebody has said how the node is to fail. */
  failureChanged(node: Stored<CachedNode>): void {
    const { unknown } = nodeFailures(node);
    if (unknown.length === 0) return;
    const message = `${NODE_FAILURE_ANNOTATION} is ${unknown.join(", ")}, and a node can only be ${knownFailures()}`;
    this.#env.events.event(node, "Warning", "UnknownFailure", message);
  }

  /** The patch leaves alone what others have written to the node: taints, labels, other conditions. */
  async #tell(known: Stored<CachedNode> | undefined, index: number, signal: AbortSignal): Promise<void> {
    const options = { index, nowMs: this.#env.clock.nowMs(), ...this.#settings };
    const draft = hollowNode(options);
    if (known === undefined) await this.#register(draft, signal);
    const { name = "" } = draft.metadata;
    const body = { status: hollowNodeStatus(known ?? draft, options) };
    const how = { subresource: "status" } as const;
    const node = await this.#nodeClient.patch({ name }, { type: "strategic", body }, how, signal);
    if (this.#settings.admitsPods) await this.#admitPods(node, signal);
  }

  async #register(draft: Node, signal: AbortSignal): Promise<void> {
    try {
      await this.#nodeClient.create(draft, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** The server taints new nodes. Where no controller looks, the node itself is there for sure to say that it is ready. */
  async #admitPods({ metadata, spec }: Stored<Node>, signal: AbortSignal): Promise<void> {
    const taints = spec?.taints ?? [];
    const kept = taints.filter((taint) => taint.key !== "node.kubernetes.io/not-ready");
    if (kept.length === taints.length) return;
    const body = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints: kept } };
    await this.#nodeClient.patch({ name: metadata.name }, { type: "merge", body }, {}, signal);
  }

  async #renewLease(name: string, node: StoredObject | undefined, signal: AbortSignal): Promise<void> {
    const renewTime = formatMicroTime(this.#env.clock.nowMs());
    const ref = { namespace: LEASE_NAMESPACE, name };
    try {
      await this.#leaseClient.patch(ref, { type: "merge", body: { spec: { renewTime } } }, {}, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
      await this.#leaseClient.create({ metadata: { ...ref, ...ownedBy(node) }, spec }, {}, signal);
    }
  }
}

/** The Lease goes with its node. */
function ownedBy(node: StoredObject | undefined): object {
  if (node === undefined) return {};
  const { name, uid } = node.metadata;
  return { ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] };
}
