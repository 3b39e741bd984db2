import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { limitByRange, limitByRules, type Limited, type Range, type ScaleHistory } from "./limits.ts";
import { type Recommendations, stabilizeBoth, stabilizeDown, type Stabilized } from "./recommendations.ts";

/** What an autoscaler's past has to say about its next step. */
export interface PastSteps extends ScaleHistory {
  readonly recommendations: Recommendations;
}

export interface NewCondition {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** How what the metrics ask for becomes a number of replicas. */
export interface Normalized {
  readonly replicas: number;
  readonly stabilized: number;
  readonly limit: Limited;
  readonly recommendations: Recommendations;
  readonly conditions: readonly NewCondition[];
}

const READY = { reason: "ReadyForNewScale", message: "recommended size matches current size" } as const;
const STABILIZED_DOWN = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
} as const;
const STABILIZED_UP = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
} as const;

/** `windowMs` is the one of scaling down for those that do not say theirs. */
export function normalize(
  { behavior }: Pick<HorizontalPodAutoscalerSpec, "behavior">,
  range: Range,
  past: PastSteps,
  { windowMs, nowMs }: { readonly windowMs: number; readonly nowMs: number },
): Normalized {
  const { current, wanted } = range;
  if (behavior === undefined) {
    const steady = stabilizeDown(past.recommendations, wanted, windowMs, nowMs);
    const limit = limitByRange({ ...range, wanted: steady.replicas });
    return normalized(wanted, steady, limit, STABILIZED_DOWN);
  }
  const windows = windowsOf(behavior, windowMs);
  const steady = stabilizeBoth(past.recommendations, { wanted, current }, windows, nowMs);
  const { scaleUp, scaleDown } = behavior;
  const limit = limitByRules({ ...range, wanted: steady.replicas }, { scaleUp, scaleDown }, past, nowMs);
  return normalized(wanted, steady, limit, wanted >= current ? STABILIZED_UP : STABILIZED_DOWN);
}

function windowsOf({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior, windowMs: number) {
  const own = scaleDown?.stabilizationWindowSeconds;
  return {
    upMs: (scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000,
    // In whole seconds, as the field has them.
    downMs: (own ?? Math.trunc(windowMs / 1_000)) * 1_000,
  };
}

function normalized(
  wanted: number,
  { replicas: stabilized, recommendations }: Stabilized,
  limit: Limited,
  whyStabilized: { readonly reason: string; readonly message: string },
): Normalized {
  const { replicas, reason, message } = limit;
  const conditions: readonly NewCondition[] = [
    { type: "AbleToScale", status: "True", ...(stabilized === wanted ? READY : whyStabilized) },
    { type: "ScalingLimited", status: replicas === stabilized ? "False" : "True", reason, message },
  ];
  return { replicas, stabilized, limit, recommendations, conditions };
}
