import { isNodeReady } from "../../pkg/api/node.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { ZONE_LABEL } from "./endpoint-of-pod.ts";
import type { CachedNode } from "./fields.ts";

/** Wakes the one key of its queue when the shares of the zones may have changed. */
export function nodeRule(change: Change<CachedNode>, wake: Wake): void {
  if (change.type !== "updated" || mayMoveShares(change.before, change.object)) wake("zones");
}

function mayMoveShares(before: CachedNode, after: CachedNode): boolean {
  const hasMoved = before.metadata.labels?.[ZONE_LABEL] !== after.metadata.labels?.[ZONE_LABEL];
  return hasMoved || isNodeReady(before) !== isNodeReady(after);
}
