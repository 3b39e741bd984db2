import { keyOf } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import { isAlreadyExists, isNotFound } from "../../client/errors.ts";
import { sleep } from "../../clock/wait.ts";
import { whenSynced } from "../../controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../controller/env.ts";
import { WorkerPool } from "../../controller/worker.ts";
import { createWorkQueue } from "../../workqueue/work-queue.ts";
import { HollowKubelet } from "./hollow-kubelet.ts";
import { hollowNode, hollowNodeName, hollowNodeStatus } from "./node-object.ts";

export interface HollowSettings {
  readonly nodes: number;
  /** What they say that they run; the newest when left out. */
  readonly kubeletVersion?: string;
  readonly workers?: number;
  /** How often each node renews its Lease. */
  readonly leaseRenewMs?: number;
  /** Pods' events are told, and images that cannot be pulled are tried again. Off when left out. */
  readonly tellsEvents?: boolean;
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
    ...(settings.tellsEvents === true && { eventSource: "kubelet" }),
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: HollowSettings): Controller {
  const pods = env.informers.informer<Pod>(resources.pods);
  const queue = createWorkQueue<string>({ clock: env.clock });
  const kubelet = new HollowKubelet(env, pods.lister, settings);
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
        await reportNode(env, settings, index, signal);
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
async function reportNode(
  env: Env,
  { kubeletVersion }: HollowSettings,
  index: number,
  signal: AbortSignal,
): Promise<void> {
  const client = env.client.clientFor<Node>(resources.nodes);
  const nowMs = env.clock.nowMs();
  try {
    await client.create(hollowNode(index, nowMs, kubeletVersion), {}, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const body = { status: hollowNodeStatus(index, nowMs, kubeletVersion) };
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
