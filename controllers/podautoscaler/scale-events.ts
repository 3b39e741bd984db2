import { largest } from "../../pkg/api/extremes.ts";
import type { HPAScalingRules } from "../../pkg/api/types/autoscaling-v2.gen.ts";

/** A change of the number of replicas, in one direction. */
export interface ScaleEvent {
  readonly change: number;
  readonly timeMs: number;
  /** No policy looked back so far when the next event came: that one may take its place. */
  readonly outdated: boolean;
}

export type ScaleEvents = readonly ScaleEvent[];

/** With a new event, in place of the last one that is outdated. */
export function withScaleEvent(
  before: ScaleEvents,
  change: number,
  rules: HPAScalingRules | undefined,
  nowMs: number,
): ScaleEvents {
  const cutoffMs = nowMs - longestPeriodMs(rules);
  const marked = before.map((event) => (event.timeMs < cutoffMs ? { ...event, outdated: true } : event));
  const next = { change, timeMs: nowMs, outdated: false };
  const old = marked.findLastIndex(({ outdated }) => outdated);
  return old < 0 ? [...marked, next] : marked.with(old, next);
}

/** How much was changed in the last period. */
export function changeInPeriod(events: ScaleEvents, periodSeconds: number, nowMs: number): number {
  const cutoffMs = nowMs - periodSeconds * 1_000;
  return events.reduce((sum, { timeMs, change }) => (timeMs > cutoffMs ? (sum + change) | 0 : sum), 0);
}

export function longestPeriodMs(rules: HPAScalingRules | undefined): number {
  return (largest((rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds)) ?? 0) * 1_000;
}
