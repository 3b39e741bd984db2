import { isPodTerminal, podCondition } from "../../pkg/api/pod.ts";
import { formatTime, parseTime } from "../../pkg/api/time.ts";
import type { CachedPod } from "./fields.ts";

const DISRUPTION_TARGET = "DisruptionTarget";
/** Whoever ends a pod announces it and then deletes the pod. A pod that is not deleted after this long stays. */
const STALE_AFTER_MS = 2 * 60_000;

/**
 * How long until the announced disruption of the pod is out of date; undefined when none is announced. A kubelet may
 * take as long as it likes, and the announcement does not matter for a pod that has ended.
 */
export function untilStaleMs(pod: CachedPod, nowMs: number): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  const condition = podCondition(pod, DISRUPTION_TARGET);
  if (condition?.status !== "True" || condition.reason === "TerminationByKubelet") return undefined;
  const sinceMs = parseTime(condition.lastTransitionTime) ?? 0;
  return Math.max(0, sinceMs + STALE_AFTER_MS - nowMs);
}

/** Takes the announcement back. The server refuses the patch when the pod was replaced or changed since it was read. */
export function withdrawalPatch(pod: CachedPod, nowMs: number): unknown {
  const { uid, resourceVersion, generation } = pod.metadata;
  const condition = {
    type: DISRUPTION_TARGET,
    status: "False",
    reason: null,
    message: null,
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    observedGeneration: generation ?? null,
  };
  return { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
}
