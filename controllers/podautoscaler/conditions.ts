import { findCondition } from "../../pkg/api/conditions.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { HorizontalPodAutoscalerCondition } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { NewCondition } from "./normalize.ts";

type Conditions = readonly HorizontalPodAutoscalerCondition[];

/** The list with this condition, in its place. The transition time moves with the status only. */
export function withCondition(conditions: Conditions, next: NewCondition, nowMs: number): Conditions {
  const before = findCondition(conditions, next.type);
  if (before === undefined) return [...conditions, { ...next, lastTransitionTime: formatTime(nowMs) }];
  const after =
    before.status === next.status
      ? { ...before, ...next }
      : { ...before, ...next, lastTransitionTime: formatTime(nowMs) };
  return conditions.map((condition) => (condition === before ? after : condition));
}

/** What is wrong with a metric, or with what it is about. */
export function notScaling(reason: string, message: string): NewCondition {
  return { type: "ScalingActive", status: "False", reason, message };
}

export function scaleFailed(error: string): NewCondition {
  const message = `the HPA controller was unable to get the target's current scale: ${error}`;
  return { type: "AbleToScale", status: "False", reason: "FailedGetScale", message };
}
