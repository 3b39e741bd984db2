import type { Projected } from "../../pkg/api/projected.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** What is read of pods and nodes; everything else is not kept in the caches on this controller's behalf. */
export const POD_FIELDS = [
  "spec.nodeName",
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
] as const;
export const NODE_FIELDS = ["spec.taints"] as const;

export type CachedPod = Stored<Projected<Pod, typeof POD_FIELDS>>;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
