import { refKey } from "../../pkg/api/object.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods. */
export const POD_FIELDS = ["spec.schedulingGroup.podGroupName", "status.phase"] as const;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;

/** Index of pods that have not ended, by the group that they are in. */
export const ACTIVE_PODS = "activePodsOfGroup";

/** The key of the pod's group. */
export function groupKeyOf({ metadata, spec }: CachedPod): string | undefined {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? undefined : refKey(metadata.namespace, name);
}

/** The group that the pod holds, if any: pods that have ended hold none. */
export function heldGroupsOf(pod: CachedPod): readonly string[] {
  const key = groupKeyOf(pod);
  return key === undefined || isPodTerminal(pod) ? [] : [key];
}
