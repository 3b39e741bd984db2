import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { changeNode, type NodeChange, taintsChange } from "./apply.ts";
import type { NodeContext } from "./context.ts";
import { labelsToSet } from "./node-labels.ts";
import { withConditionTaints } from "./node-taints.ts";
import type { CachedNode } from "./fields.ts";

/** Brings the taints that keep new pods away, and the old names of labels, in line with what the node says. */
export async function syncNode(sync: OwnerSync<CachedNode>, context: NodeContext): Promise<SyncResult> {
  await changeNode(context, sync, (node) => {
    const change = decide(node, context.clock.nowMs());
    if (change !== undefined) sync.decided("The node is brought in line with its conditions", { ...change });
    return change;
  });
  return {};
}

function decide(node: CachedNode, nowMs: number): NodeChange | undefined {
  const labels = labelsToSet(node);
  const taints = taintsChange(node, withConditionTaints(node, nowMs));
  if (Object.keys(labels).length === 0) return taints;
  return { ...taints, labels };
}
