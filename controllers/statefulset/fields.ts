import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
export const POD_FIELDS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
] as const;

/** As the cache has it. A draft of a pod has these fields, too, and no uid yet. */
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
/** One that is there: its uid is known. */
export type PodOfSet = Stored<CachedPod>;
