import { controllerOf } from "../../pkg/api/owner-references.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { REVISION_HASH, templateGeneration, TEMPLATE_GENERATION } from "./daemon-set.ts";
import { targetNode } from "./pod-template.ts";
import type { CachedPod } from "./fields.ts";

/** The pods of DaemonSets by the node that they are on, or wait to be put on. */
export const DAEMON_NODE_INDEX = "daemonNode";

export function daemonNodeIndex(pod: CachedPod): readonly string[] {
  if (controllerOf(pod)?.kind !== resources.daemonSets.kind) return [];
  const node = targetNode(pod.spec);
  return node === undefined ? [] : [node];
}

/** The pods of one DaemonSet by the node that they are on, or wait to be put on. */
export type PodsByNode = ReadonlyMap<string, readonly CachedPod[]>;

/**
 * Pods without a node, and not meant for one, are left out. So are pods that have finished and are terminating: a
 * finalizer holds them, and nothing more has to be done about them.
 */
export function podsByNode(pods: readonly CachedPod[]): PodsByNode {
  const byNode = new Map<string, CachedPod[]>();
  for (const pod of pods) {
    if (isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined) continue;
    const node = targetNode(pod.spec);
    if (node === undefined) continue;
    const there = byNode.get(node);
    if (there === undefined) byNode.set(node, [pod]);
    else there.push(pod);
  }
  return byNode;
}

/** Pods that are on a node go before those that wait for the scheduler, then older ones before younger. */
export function byPlacementAndAge(one: CachedPod, other: CachedPod): number {
  const placed = Number(!one.spec?.nodeName) - Number(!other.spec?.nodeName);
  if (placed !== 0) return placed;
  const age = createdMs(one) - createdMs(other);
  if (age !== 0) return age;
  const [a, b] = [one.metadata.name, other.metadata.name];
  return a < b ? -1 : Number(a > b);
}

/** Whether the pod has the current template of the DaemonSet, which `hash` names. */
export function isPodUpdated(pod: CachedPod, daemonSet: DaemonSet, hash: string): boolean {
  const { [REVISION_HASH]: podHash, [TEMPLATE_GENERATION]: podGeneration } = pod.metadata.labels ?? {};
  if (hash !== "" && podHash === hash) return true;
  const generation = templateGeneration(daemonSet);
  return generation !== undefined && podGeneration === generation;
}

function createdMs(pod: CachedPod): number {
  return parseTime(pod.metadata.creationTimestamp) ?? 0;
}
