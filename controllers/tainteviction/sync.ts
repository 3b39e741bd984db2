import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { podCondition } from "../../pkg/api/pod.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import { NODE_INDEX } from "../../pkg/controller/pods-on-node.ts";
import type { OwnerSync, Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { deletePod, tellOfCancelling } from "./apply.ts";
import type { EvictionContext } from "./context.ts";
import {
  type EvictionPlan,
  evictingTaints,
  NOT_TOLERATED,
  planEviction,
  planWithoutNode,
} from "./eviction-plan.ts";
import type { CachedNode, CachedPod } from "./fields.ts";
import { sinceStamp } from "./sync-taint-times.ts";

type Eviction = Extract<EvictionPlan, { kind: "now" }>;

/** Wakes the pods of a node for which its taints can mean something. */
export async function syncNode(
  { key }: Sync,
  { nodes, pods, planned }: EvictionContext,
  podQueue: Pick<KeyQueue, "add">,
): Promise<SyncResult> {
  const isTainted = evictingTaints(nodes.lister.getByKey(key)?.spec?.taints).length > 0;
  for (const pod of pods.lister.byIndex(NODE_INDEX, key))
    if (isTainted || planned.has(pod.metadata.uid)) podQueue.add(keyOf(pod));
  return {};
}

/** Evicts the pod when its time has come, and comes back when it will have. */
export async function syncPod(sync: OwnerSync<CachedPod>, context: EvictionContext): Promise<SyncResult> {
  const { owner: pod } = sync;
  const node = context.nodes.lister.get(undefined, pod.spec?.nodeName ?? "");
  const plan = planFor(context, pod, node);
  if (plan.kind === "now") return evict(sync, context, node);
  if (plan.kind === "later") {
    context.planned.set(pod.metadata.uid, { sinceMs: sinceOnNode(context, pod), dueMs: plan.dueMs });
    return { requeueAfterMs: plan.dueMs - context.clock.monotonicMs() };
  }
  if (context.planned.delete(pod.metadata.uid)) tellOfCancelling(context, pod);
  return {};
}

/** A pod that is being deleted goes anyway. */
function planFor(
  context: EvictionContext,
  pod: Stored<CachedPod>,
  node: CachedNode | undefined,
): EvictionPlan {
  const { taintTimes, planned, clock, options } = context;
  const nowMs = clock.monotonicMs();
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: "never" };
  if (node === undefined) return planWithoutNode(planned.get(pod.metadata.uid), nowMs);
  const taints = taintTimes.of(node);
  if (taints.length === 0) return { kind: "never" };
  const podSinceMs = sinceOnNode(context, pod);
  const { tolerations } = pod.spec ?? {};
  return planEviction({ tolerations, taints, podSinceMs, nowMs, options });
}

/** Since when, at the latest. What was found out first stays: clocks that tell the time of day may jump. */
function sinceOnNode({ clock, planned, arrivals }: EvictionContext, pod: Stored<CachedPod>): number {
  const { uid } = pod.metadata;
  const known = planned.get(uid)?.sinceMs ?? arrivals.sinceMs(uid);
  if (known !== undefined) return known;
  const created = sinceStamp(clock, pod.metadata.creationTimestamp);
  const { lastTransitionTime } = podCondition(pod, "PodScheduled") ?? {};
  return lastTransitionTime ? Math.max(created, sinceStamp(clock, lastTransitionTime)) : created;
}

/** Caches may be behind, and an eviction cannot be taken back: what counts is how pod and node are on the server. */
async function evict(
  sync: OwnerSync<CachedPod>,
  context: EvictionContext,
  cachedNode: CachedNode | undefined,
): Promise<SyncResult> {
  const { owner, signal } = sync;
  const { liveNodes } = context;
  const nodeName = owner.spec?.nodeName ?? "";
  const [pod, node] = await Promise.all([
    context.writes.live(sync, owner),
    cachedNode === undefined ? liveNodes.named(nodeName, signal) : liveNodes.read(cachedNode, signal),
  ]);
  if (pod === undefined) return {};
  const isAsKnown = (node === undefined) === (cachedNode === undefined);
  const plan = planFor(context, pod, node);
  if (!isAsKnown || plan.kind !== "now") {
    sync.decided("The pod stays: it or its node has changed, which a cache has yet to show");
    return { backOff: true };
  }
  const { reason, taint, dueMs }: Eviction = plan;
  sync.decided(reason, { taint });
  // What was planned for later is off, as it happens now.
  if (reason === NOT_TOLERATED && context.planned.delete(pod.metadata.uid)) tellOfCancelling(context, pod);
  await deletePod(sync, context, { pod, dueMs });
  return {};
}
