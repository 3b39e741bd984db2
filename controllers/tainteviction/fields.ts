import type { Projected } from "../../pkg/api/projected.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods and nodes; everything else is not kept in the caches on this controller's behalf. */
export const POD_FIELDS = [
  "spec.nodeName",
  "spec.tolerations",
  "status.conditions.type",
  "status.conditions.lastTransitionTime",
] as const;
export const NODE_FIELDS = ["spec.taints"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
