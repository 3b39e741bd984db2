import { keyOf } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Node, Pod, PodStatus } from "../../api/types/core-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../client/errors.ts";
import { sleep } from "../../clock/wait.ts";
import { whenSynced } from "../../controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../controller/env.ts";
import type { SyncResult } from "../../controller/sync.ts";
import { WorkerPool } from "../../controller/worker.ts";
import { createWorkQueue } from "../../workqueue/work-queue.ts";
import { hollowNode, hollowNodeName, hollowNodeStatus, hostAddress } from "./node-object.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { decidePodLife } from "./pod-life.ts";

export interface HollowSettings {
  readonly nodes: number;
  readonly workers?: number;
  /** How often each node renews its Lease. */
  readonly leaseRenewMs?: number;
}

const LEASE_NAMESPACE = "kube-node-lease";
const LEASE_SECONDS = 40;
const LEASE_RENEW_MS = 10_000;
const STATUS_MS = 300_000;

/** Nodes without a machine: they keep up their Node and Lease, and take pods through their lives as a kubelet would. */
export function hollowNodes(settings: HollowSettings): ControllerDescriptor {
  return {
    name: "hollow-nodes",
    clientName: "hollow-nodes",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: HollowSettings): Controller {
  const pods = env.informers.informer<Pod>(resources.pods);
  const queue = createWorkQueue<string>({ clock: env.clock });
  const kubelet = new HollowKubelet(env, pods.lister, settings.nodes);
  const registration = pods.addHandler({
    onAdd: (pod) => kubelet.hosts(pod) && queue.add(keyOf(pod)),
    onUpdate: (_, pod) => kubelet.hosts(pod) && queue.add(keyOf(pod)),
    onDelete: (pod) => kubelet.forget(pod),
  });
  const pool = new WorkerPool({
    queue,
    workers: settings.workers ?? 32,
    sync: async ({ key, signal }) => kubelet.sync(key, signal),
    ready: whenSynced(env.clock, [registration]),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => {
      await Promise.all([pool.run(signal), keepNodes(env, settings, signal)]);
    },
    health: () => ({ pools: { pods: pool.liveness() } }),
  };
}

class HollowKubelet {
  readonly #env: Env;
  readonly #pods: Lister<Pod>;
  readonly #nodeIndexes: ReadonlyMap<string, number>;
  readonly #addresses = new PodAddresses();

  constructor(env: Env, pods: Lister<Pod>, nodes: number) {
    this.#env = env;
    this.#pods = pods;
    this.#nodeIndexes = new Map(Array.from({ length: nodes }, (_, index) => [hollowNodeName(index), index]));
  }

  hosts(pod: Pod): boolean {
    return this.#nodeIndexes.has(pod.spec?.nodeName ?? "");
  }

  forget(pod: Pod): void {
    this.#addresses.release(pod.metadata.uid ?? "");
  }

  async sync(key: string, signal: AbortSignal): Promise<SyncResult> {
    const pod = this.#pods.getByKey(key);
    const node = this.#nodeIndexes.get(pod?.spec?.nodeName ?? "");
    if (pod === undefined || node === undefined) return {};
    const nowMs = this.#env.clock.nowMs();
    const uid = pod.metadata.uid ?? "";
    const place = { hostIP: hostAddress(node), podIP: this.#addresses.addressOf(uid, node) };
    const plan = decidePodLife(pod, place, nowMs);
    try {
      if (plan.status !== undefined) await this.#writeStatus(pod, plan.status, signal);
      if (plan.remove) await this.#remove(pod, signal);
    } catch (error) {
      // The pod is gone, or is another by now: its own events bring it back here.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return plan.recheckAtMs === undefined ? {} : { requeueAfterMs: Math.max(0, plan.recheckAtMs - nowMs) };
  }

  /** As a kubelet does, by a patch that leaves the conditions of others alone. */
  async #writeStatus(pod: Pod, status: PodStatus, signal: AbortSignal): Promise<void> {
    const { namespace = "", name = "", uid } = pod.metadata;
    const body = { metadata: { uid }, status };
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    await client.patch({ namespace, name }, { type: "strategic", body }, { subresource: "status" }, signal);
  }

  async #remove(pod: Pod, signal: AbortSignal): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    await client.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } }, signal);
  }
}

async function keepNodes(env: Env, settings: HollowSettings, signal: AbortSignal): Promise<void> {
  const indexes = Array.from({ length: settings.nodes }, (_, index) => index);
  await Promise.all(indexes.map(async (index) => keepNode(env, settings, index, signal)));
}

/** Registers the node, then renews its Lease, and its status now and then. Ends with the signal. */
async function keepNode(
  env: Env,
  settings: HollowSettings,
  index: number,
  signal: AbortSignal,
): Promise<void> {
  const periodMs = settings.leaseRenewMs ?? LEASE_RENEW_MS;
  let statusMs = -Infinity;
  while (!signal.aborted) {
    try {
      if (env.clock.monotonicMs() - statusMs >= STATUS_MS) {
        await reportNode(env, index, signal);
        statusMs = env.clock.monotonicMs();
      }
      await renewLease(env, index, signal);
    } catch (error) {
      if (signal.aborted) return;
      env.log.error(error, "A hollow node could not report", { node: hollowNodeName(index) });
    }
    await sleep(env.clock, periodMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** The status patch leaves alone what others have written to the node: taints, labels, other conditions. */
async function reportNode(env: Env, index: number, signal: AbortSignal): Promise<void> {
  const client = env.client.clientFor<Node>(resources.nodes);
  const nowMs = env.clock.nowMs();
  try {
    await client.create(hollowNode(index, nowMs), {}, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const body = { status: hollowNodeStatus(index, nowMs) };
  const name = hollowNodeName(index);
  const node = await client.patch({ name }, { type: "strategic", body }, { subresource: "status" }, signal);
  await admitPods(env, node, signal);
}

/** The server taints new nodes, and nobody but the node itself is there for sure to say that it is ready. */
async function admitPods(env: Env, node: Node, signal: AbortSignal): Promise<void> {
  const taints = node.spec?.taints ?? [];
  const kept = taints.filter((taint) => taint.key !== "node.kubernetes.io/not-ready");
  if (kept.length === taints.length) return;
  const body = { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints: kept } };
  const client = env.client.clientFor<Node>(resources.nodes);
  await client.patch({ name: node.metadata.name ?? "" }, { type: "merge", body }, {}, signal);
}

async function renewLease(env: Env, index: number, signal: AbortSignal): Promise<void> {
  const client = env.client.clientFor(resources.leases);
  const name = hollowNodeName(index);
  const renewTime = formatMicroTime(env.clock.nowMs());
  try {
    const body = { spec: { renewTime } };
    await client.patch({ namespace: LEASE_NAMESPACE, name }, { type: "merge", body }, {}, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    const lease = { metadata: { namespace: LEASE_NAMESPACE, name }, spec };
    await client.create(lease, {}, signal);
  }
}
