import { keyOf, type PartialObject, type Stored, type StoredObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Cache } from "../../pkg/controller/cache.ts";
import type { NodeChanges } from "./node-changes.ts";
import { type FitsNode, sameFit } from "./node-fit.ts";
import { DAEMON_NODE_INDEX } from "./node-pods.ts";
import type { CachedNode } from "./fields.ts";

/** What the answer depends on which DaemonSets a node concerns. */
export interface DaemonsOfNodes {
  readonly daemonSets: Pick<Cache<DaemonSet>, "lister">;
  readonly pods: Pick<Cache<PartialObject>, "lister">;
  readonly fitOf: (daemonSet: DaemonSet) => FitsNode;
}

interface ChangedNodes extends DaemonsOfNodes {
  readonly nodes: Pick<Cache<CachedNode>, "lister">;
  readonly nodeChanges: NodeChanges;
}

/**
 * The DaemonSets whose status counts this node: it fits them, or has a pod of theirs. Also those that have nothing to
 * create or delete: a node may come back under its name before its pod is gone.
 *
 * upstream: pkg/controller/daemon/daemon_controller.go#syncNodeUpdate leaves those out, until something else wakes
 * them.
 */
export function daemonSetsOfNode(node: Stored<CachedNode>, context: DaemonsOfNodes): readonly string[] {
  const present = presentOn(node.metadata.name, context);
  return context.daemonSets.lister
    .list()
    .filter((daemonSet) => context.fitOf(daemonSet)(node).shouldRun || present(daemonSet))
    .map(keyOf);
}

/**
 * The DaemonSets to which it matters that a node is new or has changed: those that it fits now and did not before, or
 * the other way round. None when the node is gone: its deletion has woken them.
 */
export function daemonSetsOfChangedNode(nodeName: string, context: ChangedNodes): readonly string[] {
  const node = context.nodes.lister.get(undefined, nodeName);
  const before = context.nodeChanges.take(nodeName);
  if (node === undefined) return [];
  if (before === "new") return daemonSetsOfNode(node, context);
  const differs = (daemonSet: DaemonSet): boolean => {
    const fits = context.fitOf(daemonSet);
    const now = fits(node);
    return before.some((earlier) => !sameFit(fits(earlier), now));
  };
  return context.daemonSets.lister.list().filter(differs).map(keyOf);
}

function presentOn(nodeName: string, { pods }: DaemonsOfNodes): (daemonSet: StoredObject) => boolean {
  const uids = new Set(pods.lister.byIndex(DAEMON_NODE_INDEX, nodeName).map((pod) => controllerOf(pod)?.uid));
  return ({ metadata }) => uids.has(metadata.uid);
}
