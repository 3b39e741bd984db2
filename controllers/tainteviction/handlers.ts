import { semanticEqual } from "../../pkg/api/equality.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { EvictionContext } from "./context.ts";
import { evictingTaints } from "./eviction-plan.ts";
import type { CachedNode, CachedPod } from "./fields.ts";

/**
 * Wakes nodes whose taints say otherwise than before who has to go; also those that are new, as one that had the name
 * before may have left pods that are to go.
 */
export const nodeRule: WakeRule<CachedNode> = (change, wake) => {
  const taintsOf = ({ spec }: CachedNode) => evictingTaints(spec?.taints);
  const isNew = change.type === "added" && !change.listed;
  const taints = change.type === "deleted" ? [] : taintsOf(change.object);
  const before = change.type === "added" ? [] : taintsOf("before" in change ? change.before : change.object);
  if (isNew || !semanticEqual(before, taints)) wake(change.object.metadata.name);
};

/** Wakes pods that come to a node which evicts, or tolerate something else than before. */
export function podRule({ nodes, planned }: Pick<EvictionContext, "nodes" | "planned">): WakeRule<CachedPod> {
  return (change, wake) => {
    const { type, object: pod } = change;
    if (type === "deleted" || (type === "updated" && isAlike(change.before, pod))) return;
    const taints = nodes.lister.get(undefined, pod.spec?.nodeName ?? "")?.spec?.taints;
    if (evictingTaints(taints).length > 0 || planned.has(pod.metadata.uid)) wake(keyOf(pod));
  };
}

function isAlike({ spec: one }: CachedPod, { spec: other }: CachedPod): boolean {
  return one?.nodeName === other?.nodeName && semanticEqual(one?.tolerations, other?.tolerations);
}
