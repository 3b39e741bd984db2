import { keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { DaemonContext } from "./context.ts";
import { targetNode } from "./pod-template.ts";

type Looking = Pick<DaemonContext, "daemonSets" | "nodes" | "pods" | "fitOf">;

/** The pods of DaemonSets by the node that they are on, or wait to be put on. */
export const DAEMON_NODE_INDEX = "daemonNode";

export function daemonNodeIndex(pod: Pod): readonly string[] {
  if (controllerOf(pod)?.kind !== resources.daemonSets.kind) return [];
  const node = targetNode(pod.spec);
  return node === undefined ? [] : [node];
}

/** The DaemonSets to which a node's new labels or taints, or the node being new, make a difference. */
export function daemonSetsOfChangedNode(nodeName: string, context: Looking): readonly string[] {
  const node = context.nodes.get(undefined, nodeName);
  if (node === undefined) return [];
  const present = presentOn(nodeName, context);
  return context.daemonSets
    .list()
    .filter((daemonSet) => {
      const { shouldRun, shouldContinueRunning } = context.fitOf(daemonSet)(node);
      if (!present(daemonSet)) return shouldRun;
      // Where pods are on wrong nodes, this node may have ceased to be one.
      return !shouldContinueRunning || (daemonSet.status?.numberMisscheduled ?? 0) > 0;
    })
    .map(keyOf);
}

/** The DaemonSets that count this node, which is gone: as one of theirs, or as one where their pods should not be. */
export function daemonSetsOfDeletedNode(node: Node, context: Looking): readonly string[] {
  const present = presentOn(node.metadata.name ?? "", context);
  return context.daemonSets
    .list()
    .filter((daemonSet) => context.fitOf(daemonSet)(node).shouldRun || present(daemonSet))
    .map(keyOf);
}

function presentOn(nodeName: string, { pods }: Looking): (daemonSet: DaemonSet) => boolean {
  const uids = new Set(pods.byIndex(DAEMON_NODE_INDEX, nodeName).map((pod) => controllerOf(pod)?.uid));
  return ({ metadata }) => uids.has(metadata.uid ?? "");
}
