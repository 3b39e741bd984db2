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

/**
 * The DaemonSets that count this node: as one of theirs, or as one where their pods are. Which of the two may have changed
 * although nothing has to be created or deleted: a node may come back under its name before its pod is gone, and a taint
 * that forbids scheduling leaves pods alone. Their statuses tell.
 *
 * upstream: pkg/controller/daemon/daemon_controller.go#syncNodeUpdate leaves those out, until something else wakes them.
 */
export function daemonSetsOfNode(node: Node, context: Looking): readonly string[] {
  const present = presentOn(node.metadata.name ?? "", context);
  return context.daemonSets
    .list()
    .filter((daemonSet) => context.fitOf(daemonSet)(node).shouldRun || present(daemonSet))
    .map(keyOf);
}

/** The same for a node that has changed, as it is by now; none when it is gone: its deletion has woken them. */
export function daemonSetsOfChangedNode(nodeName: string, context: Looking): readonly string[] {
  const node = context.nodes.get(undefined, nodeName);
  return node === undefined ? [] : daemonSetsOfNode(node, context);
}

function presentOn(nodeName: string, { pods }: Looking): (daemonSet: DaemonSet) => boolean {
  const uids = new Set(pods.byIndex(DAEMON_NODE_INDEX, nodeName).map((pod) => controllerOf(pod)?.uid));
  return ({ metadata }) => uids.has(metadata.uid ?? "");
}
