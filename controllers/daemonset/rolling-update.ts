import { isPodAvailable } from "../../pkg/api/pod.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { minReadySeconds, rollingLimits } from "./daemon-set.ts";
import type { FitsNode } from "./node-fit.ts";
import { isPodUpdated, type PodsByNode } from "./node-pods.ts";
import type { CachedPod, CachedNode } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface RollingView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Stored<CachedNode>[];
  readonly fits: FitsNode;
  readonly pods: PodsByNode;
  /** The revision hash of the current template. */
  readonly hash: string;
}

/** Which old pods go now, and which nodes get a new pod beside an old one. */
export interface RollingPlan {
  readonly create: readonly string[];
  readonly remove: readonly CachedPod[];
  /** The numbers that decided it. */
  readonly reason: Readonly<Record<string, number>>;
}

/** What is on a node, by age of the template. Pods that are being deleted do not count. */
interface Occupants {
  readonly current: CachedPod | undefined;
  readonly old: CachedPod | undefined;
}

/**
 * The next step of an update. Throws an IntOrStringError when the strategy's numbers make no sense.
 *
 * Without surge old pods are deleted, and replaced when they are gone: all that are unavailable anyway, and of the
 * others as many as maxUnavailable leaves room for. E.g. 10 nodes, maxUnavailable 3, one new pod not ready, one old pod
 * not ready: that one goes, and one more that is available.
 *
 * With surge new pods come first: on every node whose old pod is unavailable, and on maxSurge others. An old pod goes
 * when the new one on its node is available.
 */
export function decideRollingUpdate(view: RollingView, nowMs: number): RollingPlan {
  const desired = desiredNodes(view);
  const limits = rollingLimits(view.daemonSet, desired.length);
  const pods = withEmptyNodes(view.pods, desired);
  const available = (pod: CachedPod): boolean => isPodAvailable(pod, minReadySeconds(view.daemonSet), nowMs);
  return limits.maxSurge === 0
    ? replaceInPlace(view, pods, limits.maxUnavailable, available)
    : replaceBySurge(view, pods, { maxSurge: limits.maxSurge, desired: desired.length }, available);
}

/** The names of the nodes that are to run a pod. */
export function desiredNodes({ nodes, fits }: Pick<RollingView, "nodes" | "fits">): readonly string[] {
  return nodes.filter((node) => fits(node).shouldRun).map((node) => node.metadata.name);
}

/** Nodes without a pod are among them, as they count as unavailable. */
function withEmptyNodes(pods: PodsByNode, desired: readonly string[]): PodsByNode {
  const empty = desired.filter((node) => !pods.has(node));
  return empty.length === 0 ? pods : new Map([...pods, ...empty.map((node) => [node, []] as const)]);
}

function replaceInPlace(
  view: RollingView,
  podsOnNodes: PodsByNode,
  maxUnavailable: number,
  available: (pod: CachedPod) => boolean,
): RollingPlan {
  const unavailableOld: CachedPod[] = [];
  const candidates: CachedPod[] = [];
  let unavailable = 0;
  for (const pods of podsOnNodes.values()) {
    const there = occupants(view, pods);
    // None, or more than there should be: placement sees to this node, and until then it counts as unavailable.
    if (there === undefined || (there.old === undefined) === (there.current === undefined)) unavailable++;
    else if (there.current !== undefined) unavailable += available(there.current) ? 0 : 1;
    else if (there.old !== undefined && available(there.old)) candidates.push(there.old);
    else if (there.old !== undefined) {
      unavailableOld.push(there.old);
      unavailable++;
    }
  }
  const room = Math.max(0, maxUnavailable - unavailable);
  return {
    create: [],
    remove: [...unavailableOld, ...candidates.slice(0, room)],
    reason: {
      maxUnavailable,
      unavailable,
      unavailableOld: unavailableOld.length,
      candidates: candidates.length,
    },
  };
}

function replaceBySurge(
  view: RollingView,
  podsOnNodes: PodsByNode,
  { maxSurge, desired }: { readonly maxSurge: number; readonly desired: number },
  available: (pod: CachedPod) => boolean,
): RollingPlan {
  const nodes = new Map(view.nodes.map((node) => [node.metadata.name, node]));
  const remove: CachedPod[] = [];
  /** Available, on nodes that no longer fit the DaemonSet. */
  const displaced: CachedPod[] = [];
  const unavailableOld: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let availableNodes = 0;
  for (const [name, pods] of podsOnNodes) {
    const node = nodes.get(name);
    // The node is gone, and its pods will go.
    if (node === undefined) continue;
    const there = occupants(view, pods);
    if (there === undefined) {
      surging++;
      continue;
    }
    const { current, old } = there;
    const representative = old ?? current;
    const isAvailable = representative !== undefined && available(representative);
    if (isAvailable) availableNodes++;
    if (old === undefined) continue;
    if (current !== undefined) {
      if (available(current)) remove.push(old);
      else surging++;
    } else if (!view.fits(node).shouldRun) (isAvailable ? displaced : remove).push(old);
    else (isAvailable ? candidates : unavailableOld).push(name);
  }
  const room = Math.max(0, maxSurge - surging);
  // Who surges wants no gap: a pod on a node that is to be left stays until another one elsewhere is available.
  const dispensable = Math.max(0, availableNodes - desired);
  return {
    create: [...unavailableOld, ...candidates.slice(0, room)],
    remove: [...remove, ...displaced.slice(0, dispensable)],
    reason: { maxSurge, surging, availableNodes, desired, candidates: candidates.length },
  };
}

/** Undefined when there are two pods of one sort. */
function occupants(view: RollingView, pods: readonly CachedPod[]): Occupants | undefined {
  let current: CachedPod | undefined;
  let old: CachedPod | undefined;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const isCurrent = isPodUpdated(pod, view.daemonSet, view.hash);
    if ((isCurrent ? current : old) !== undefined) return undefined;
    if (isCurrent) current = pod;
    else old = pod;
  }
  return { current, old };
}
