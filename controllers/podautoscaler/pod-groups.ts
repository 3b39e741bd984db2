import { findCondition } from "../../pkg/api/conditions.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CachedPod } from "./fields.ts";
import { type PodMetrics, UNSET_MS } from "./pod-metrics.ts";

/** How long a pod is new. */
export interface StartPeriods {
  /** Samples of the CPU are passed over for so long, unless the pod was ready all through them. */
  readonly cpuInitializationPeriodMs: number;
  /** A pod that became unready within this time has never been ready. */
  readonly initialReadinessDelayMs: number;
}

/** Names of pods, by what they count for. */
export interface PodGroups {
  readonly ready: number;
  /** Their samples are not to be trusted yet. */
  readonly unready: readonly string[];
  /** Nothing was measured of them. */
  readonly missing: readonly string[];
  /** They go, or have failed. */
  readonly ignored: readonly string[];
}

export interface GroupedBy {
  readonly metrics: PodMetrics;
  readonly isCpu: boolean;
  readonly periods: StartPeriods;
  readonly nowMs: number;
}

export function* groupPods(pods: readonly CachedPod[], by: GroupedBy): Steps<PodGroups> {
  let ready = 0;
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  yield* forEachInSteps(pods, (pod) => {
    const { name = "", deletionTimestamp } = pod.metadata;
    const metric = by.metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") ignored.push(name);
    else if (pod.status?.phase === "Pending") unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (by.isCpu && isStarting(pod, metric.timeMs - metric.windowMs, by)) unready.push(name);
    else ready++;
  });
  return { ready, unready, missing, ignored };
}

/** Whether what the pod used since then may be what it takes to start. */
function isStarting({ status }: CachedPod, sinceMs: number, { periods, nowMs }: GroupedBy): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  const startMs = parseTime(status?.startTime);
  if (ready === undefined || startMs === undefined) return true;
  const changedMs = parseTime(ready.lastTransitionTime) ?? UNSET_MS;
  const isUnready = ready.status === "False";
  if (startMs + periods.cpuInitializationPeriodMs > nowMs) return isUnready || sinceMs < changedMs;
  return isUnready && startMs + periods.initialReadinessDelayMs > changedMs;
}
