import { semanticEqual } from "../../pkg/api/equality.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { OwnedRevisions } from "../../pkg/controller/history/owned-revisions.ts";
import { labelsChanged } from "../../pkg/controller/owner-lookup.ts";
import { selectsBy } from "../../pkg/controller/pod-rule.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { podSelector } from "./daemon-set.ts";
import type { NodeChanges } from "./node-changes.ts";
import { daemonSetsOfNode, type DaemonsOfNodes } from "./sync-node.ts";
import type { CachedNode } from "./fields.ts";

/** Wakes the DaemonSet of a revision that somebody has changed or deleted, so that it is put right. */
export function revisionRule(history: Pick<OwnedRevisions<DaemonSet>, "rule">): WakeRule<ControllerRevision> {
  const rule = history.rule({ selects: selectsBy(podSelector) });
  return (change, wake) => {
    const { metadata } = change.object;
    const isNew = change.type === "added" && metadata.deletionTimestamp === undefined;
    // The owner of a new revision has just made it.
    if (!isNew || controllerOf(change.object) === undefined) rule(change, wake);
  };
}

/** Wakes nodes that are new or changed. Those of the first list wake nobody: all DaemonSets are synced then anyway. */
export function nodeRule(nodeChanges: NodeChanges): WakeRule<CachedNode> {
  return (change, wake) => {
    const key = keyOf(change.object);
    if (change.type === "deleted") return nodeChanges.removed(key);
    if (change.type === "added") {
      if (change.listed) return;
      nodeChanges.added(key);
    } else {
      if (!isOtherForPods(change.before, change.object)) return;
      nodeChanges.changed(key, change.before);
    }
    wake(key);
  };
}

/** Wakes the DaemonSets that counted a node, when the node is gone. */
export function lostNodeRule(context: DaemonsOfNodes): WakeRule<CachedNode> {
  return onlyWhen(["deleted"], (change, wake) => {
    for (const key of daemonSetsOfNode(change.object, context)) wake(key);
  });
}

function isOtherForPods(before: CachedNode, after: CachedNode): boolean {
  return labelsChanged(before, after) || !semanticEqual(before.spec?.taints, after.spec?.taints);
}
