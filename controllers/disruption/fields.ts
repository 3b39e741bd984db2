import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods and of their owners; everything else is not kept in the caches on this controller's behalf. */
export const POD_FIELDS = [
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.reason",
  "status.conditions.lastTransitionTime",
] as const;
export const OWNER_FIELDS = ["spec.replicas"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
