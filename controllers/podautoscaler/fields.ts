import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods: what they ask for, and since when they are ready. */
export const POD_FIELDS = [
  "spec.containers.name",
  "spec.containers.restartPolicy",
  "spec.containers.resources",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "spec.initContainers.resources",
  "spec.resources",
  "spec.overhead",
  "status.phase",
  "status.startTime",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
