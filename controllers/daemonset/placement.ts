import { smallest } from "../../pkg/api/extremes.ts";
import { isPodAvailable, isPodReady } from "../../pkg/api/pod.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { allowsSurge, minReadySeconds, REVISION_HASH } from "./daemon-set.ts";
import type { FitsNode } from "./node-fit.ts";
import { byPlacementAndAge, type PodsByNode } from "./node-pods.ts";
import type { CachedPod, CachedNode } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface PlacementView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Stored<CachedNode>[];
  readonly fits: FitsNode;
  readonly pods: PodsByNode;
  /** The revision hash of the current template. */
  readonly hash: string;
  /** How long a failed pod of this node has to stay yet; 0 when it may be replaced now. */
  readonly backoffMs: (node: string) => number;
}

export interface Removal {
  readonly pod: CachedPod;
  readonly reason:
    | "it failed"
    | "it succeeded"
    | "the node has an older one"
    | "its replacement is available"
    | "it is not ready, and its replacement is there"
    | "the node is not for it"
    | "its node does not exist";
}

export interface PlacementPlan {
  /** The nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Removal[];
  /** The nodes whose failed pod is removed: the next one that fails there has to stay longer. */
  readonly failedOn: readonly string[];
  /** When the first failed pod that has to wait may be removed. */
  readonly recheckAfterMs: number | undefined;
}

/** Whether one node needs a pod, and which of its pods are too many. */
type NodePlan = Pick<PlacementPlan, "create" | "remove"> & {
  readonly failed?: true;
  readonly waitMs?: number;
};

const NOTHING: NodePlan = { create: [], remove: [] };

/** One pod on every node that the DaemonSet is for, and none elsewhere; two while a surge replaces an old one. */
export function decidePlacement(view: PlacementView, nowMs: number): PlacementPlan {
  const create: string[] = [];
  const remove: Removal[] = [];
  const failedOn: string[] = [];
  const waits: number[] = [];
  for (const node of view.nodes) {
    const plan = planNode(view, node, nowMs);
    if (plan === NOTHING) continue;
    for (const name of plan.create) create.push(name);
    for (const removal of plan.remove) remove.push(removal);
    if (plan.failed) failedOn.push(node.metadata.name);
    if (plan.waitMs !== undefined) waits.push(plan.waitMs);
  }
  for (const removal of strandedPods(view)) remove.push(removal);
  return { create, remove, failedOn, recheckAfterMs: smallest(waits) };
}

function planNode(view: PlacementView, node: Stored<CachedNode>, nowMs: number): NodePlan {
  const { name } = node.metadata;
  const { shouldRun, shouldContinueRunning } = view.fits(node);
  const pods = view.pods.get(name);
  if (pods === undefined) return shouldRun ? { create: [name], remove: [] } : NOTHING;
  // As a rule there is one pod, and each sync looks at each node.
  const [only] = pods;
  if (shouldContinueRunning && pods.length === 1 && only !== undefined && stays(only)) return NOTHING;
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  if (!shouldContinueRunning) return { create: [], remove: removals(staying, "the node is not for it") };

  const ended = planEnded(view, name, staying);
  const running = staying.filter((pod) => !hasPhase(pod, "Failed") && !hasPhase(pod, "Succeeded"));
  running.sort(byPlacementAndAge);
  if (!allowsSurge(view.daemonSet)) {
    return {
      ...ended,
      remove: [...ended.remove, ...removals(running.slice(1), "the node has an older one")],
    };
  }
  // While pods may overlap, one that is going away is no reason to wait. A failed one that has to stay is: the next
  // would fail as well, and would not be the last.
  const create = running.length === 0 && shouldRun && ended.waitMs === undefined ? [name] : [];
  return { ...ended, create, remove: [...ended.remove, ...surplusOfSurge(view, running, nowMs)] };
}

/** Whether nothing has to be done about the pod, if it is the only one of its node. */
function stays(pod: CachedPod): boolean {
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  return !isGoing && !hasPhase(pod, "Failed") && !hasPhase(pod, "Succeeded");
}

/** Pods that have ended are removed; the node gets another when they are gone. Of failed ones one at a time. */
function planEnded(view: PlacementView, node: string, staying: readonly CachedPod[]): NodePlan {
  const remove: Removal[] = [];
  let failed = false;
  const waitMs = view.backoffMs(node);
  let waits = false;
  for (const pod of staying) {
    if (hasPhase(pod, "Succeeded")) remove.push({ pod, reason: "it succeeded" });
    if (!hasPhase(pod, "Failed")) continue;
    if (failed) continue;
    if (waitMs > 0) {
      waits = true;
      continue;
    }
    failed = true;
    remove.push({ pod, reason: "it failed" });
  }
  return { create: [], remove, ...(failed && { failed }), ...(waits && { waitMs }) };
}

/**
 * Of the pods of one node, oldest first, at most two stay: the oldest of the current template, and the oldest of
 * another one as long as it is ready and its replacement is not available. Of two that are not ready the current one
 * stays.
 */
function surplusOfSurge(
  view: PlacementView,
  running: readonly CachedPod[],
  nowMs: number,
): readonly Removal[] {
  if (running.length <= 1) return [];
  // upstream: pkg/controller/daemon/daemon_controller.go#podsShouldBeOnNode looks only at the hash here.
  const isCurrent = (pod: CachedPod): boolean => pod.metadata.labels?.[REVISION_HASH] === view.hash;
  const current = running.find(isCurrent);
  const old = running.find((pod) => !isCurrent(pod));
  const surplus = removals(
    running.filter((pod) => pod !== current && pod !== old),
    "the node has an older one",
  );
  if (current === undefined || old === undefined) return surplus;
  if (!isPodReady(old))
    return [...surplus, { pod: old, reason: "it is not ready, and its replacement is there" }];
  if (isPodAvailable(current, minReadySeconds(view.daemonSet), nowMs))
    return [...surplus, { pod: old, reason: "its replacement is available" }];
  return surplus;
}

/** Pods that wait to be put on a node that is gone: nobody else will ever touch them. */
function strandedPods({ nodes, pods }: PlacementView): readonly Removal[] {
  const known = new Set(nodes.map((node) => node.metadata.name));
  const stranded: CachedPod[] = [];
  for (const [node, there] of pods) {
    if (known.has(node)) continue;
    for (const pod of there)
      if (!pod.spec?.nodeName && pod.metadata.deletionTimestamp === undefined) stranded.push(pod);
  }
  return removals(stranded, "its node does not exist");
}

function removals(pods: readonly CachedPod[], reason: Removal["reason"]): readonly Removal[] {
  return pods.map((pod) => ({ pod, reason }));
}

function hasPhase(pod: CachedPod, phase: string): boolean {
  return pod.status?.phase === phase;
}
