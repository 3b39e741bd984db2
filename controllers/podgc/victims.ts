import { isNodeReady } from "../../pkg/api/node.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods and nodes; everything else is not kept in the caches on this controller's behalf. */
export const POD_FIELDS = ["spec.nodeName", "status.phase", "status.reason", "status.conditions"] as const;
export const NODE_FIELDS = ["spec.taints.key", "status.conditions.type", "status.conditions.status"] as const;

export type CachedPod = Stored<Projected<Pod, typeof POD_FIELDS>>;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;

/** Why a pod goes; also a label of the metrics. */
export type VictimReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

export interface Victim {
  readonly pod: CachedPod;
  readonly reason: VictimReason;
}

export interface VictimsView {
  /** `mayGo` is true for all of them. */
  readonly pods: readonly CachedPod[];
  /** As the cache knows it; undefined when it has no such node. */
  readonly nodeNamed: (name: string) => CachedNode | undefined;
  /** Names of nodes that were missed for long enough, and that the server does not know either. */
  readonly goneNodes: ReadonlySet<string>;
  /** Finished pods that may exist; 0 or less: any number. */
  readonly threshold: number;
}

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const UNFINISHED: ReadonlySet<string> = new Set(["Pending", "Running", "Unknown"]);

/** The pods to delete by force, each once, for the first reason that applies. */
export function decideVictims(view: VictimsView): readonly Victim[] {
  const victims = new Map<CachedPod, VictimReason>();
  const choose = (pods: readonly CachedPod[], reason: VictimReason): void => {
    for (const pod of pods) if (!victims.has(pod)) victims.set(pod, reason);
  };
  choose(surplus(view), "terminated");
  choose(stuckOnLostNodes(view).toSorted(evictedThenOld), "out-of-service");
  choose(
    view.pods.filter((pod) => isOnOneOf(pod, view.goneNodes)),
    "orphaned",
  );
  choose(view.pods.filter(isUnscheduledTerminating), "unscheduled");
  return [...victims].map(([pod, reason]) => ({ pod, reason }));
}

/** Whether any reason could apply to the pod, judged by itself. Most pods are ruled out by this alone. */
export function mayGo(pod: CachedPod, goneNodes: VictimsView["goneNodes"]): boolean {
  return isFinished(pod) || pod.metadata.deletionTimestamp !== undefined || isOnOneOf(pod, goneNodes);
}

function isOnOneOf(pod: CachedPod, nodes: ReadonlySet<string>): boolean {
  return nodes.has(pod.spec?.nodeName ?? "");
}

function isFinished(pod: CachedPod): boolean {
  return !UNFINISHED.has(pod.status?.phase ?? "");
}

/** E.g. threshold 2 and finished pods of 1, 2, 3 and 4 hours: the two oldest. */
function surplus({ pods, threshold }: VictimsView): readonly CachedPod[] {
  if (threshold <= 0) return [];
  const finished = pods.filter(isFinished);
  const count = finished.length - threshold;
  return count <= 0 ? [] : finished.toSorted(evictedThenOld).slice(0, count);
}

/**
 * A node that is not ready has no kubelet that could end its pods; the taint is the admin's word that it runs nothing
 * any more, so that the pods' volumes can go elsewhere.
 */
function stuckOnLostNodes({ pods, nodeNamed }: VictimsView): readonly CachedPod[] {
  return pods.filter((pod) => {
    if (pod.metadata.deletionTimestamp === undefined) return false;
    const node = nodeNamed(pod.spec?.nodeName ?? "");
    return node !== undefined && !isNodeReady(node) && isOutOfService(node);
  });
}

function isOutOfService(node: CachedNode): boolean {
  return node.spec?.taints?.some((taint) => taint.key === OUT_OF_SERVICE) ?? false;
}

/** No kubelet will ever end a pod that has no node. */
function isUnscheduledTerminating(pod: CachedPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName;
}

/** Evicted pods go first, as they say least about the work of their owner; then the old before the new, then by name. */
function evictedThenOld(one: CachedPod, other: CachedPod): number {
  return (
    Number(isEvicted(other)) - Number(isEvicted(one)) ||
    createdMs(one) - createdMs(other) ||
    compareNames(one, other)
  );
}

function isEvicted(pod: CachedPod): boolean {
  return pod.status?.phase === "Failed" && pod.status.reason === "Evicted";
}

function createdMs(pod: CachedPod): number {
  return parseTime(pod.metadata.creationTimestamp) ?? 0;
}

function compareNames(one: CachedPod, other: CachedPod): number {
  const [a, b] = [one.metadata.name, other.metadata.name];
  return a < b ? -1 : Number(a > b);
}
