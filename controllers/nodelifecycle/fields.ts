import type { Projected } from "../../pkg/api/projected.ts";
import type { Lease } from "../../pkg/api/types/coordination-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of nodes, pods and Leases; everything else is not kept in the caches on this controller's behalf. */
export const NODE_FIELDS = [
  "spec.taints",
  "spec.unschedulable",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastHeartbeatTime",
] as const;
export const POD_FIELDS = ["spec.nodeName", "status.conditions.type", "status.conditions.status"] as const;
/** Heartbeats: the one thing of a Lease that is read beside its name. */
export const LEASE_FIELDS = ["spec.renewTime"] as const;

export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedLease = Projected<Lease, typeof LEASE_FIELDS>;
