import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { tellOf, writeRanges } from "./apply.ts";
import { NodeRangeError } from "./cidr-set.ts";
import type { NodeIpamContext } from "./context.ts";
import { forgetUnseen } from "./sync-start.ts";
import type { CachedNode } from "./node-ranges.ts";

/**
 * Gives the Node its ranges, unless it has some or is being deleted.
 * upstream: pkg/controller/nodeipam/ipam/range_allocator.go#syncNode
 */
export async function syncNode(sync: OwnerSync<CachedNode>, context: NodeIpamContext): Promise<SyncResult> {
  const { owner: node, key } = sync;
  context.waiting.delete(key);
  if (node.metadata.deletionTimestamp !== undefined) return {};
  forgetUnseen(context);
  const assignment = context.ranges.assign(node);
  if (assignment.kind === "shown") {
    // No time will mend that: it is said once, and again when the cache is filled anew.
    if (assignment.problem !== undefined)
      sync.log.error(new NodeRangeError(assignment.problem), "The Node's range is none of the cluster's");
    return {};
  }
  if (assignment.kind === "exhausted") {
    context.waiting.add(key);
    tellOf(context, node, "CIDRNotAvailable");
    throw new NodeRangeError(assignment.problem);
  }
  sync.decided("The Node gets ranges", { podCIDRs: assignment.cidrs });
  return writeRanges(sync, context, assignment.cidrs);
}
