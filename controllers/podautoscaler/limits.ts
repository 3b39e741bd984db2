import { int32OfDouble } from "../../pkg/api/go-numbers.ts";
import type { HPAScalingPolicy, HPAScalingRules } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { changeInPeriod, type ScaleEvents } from "./scale-events.ts";

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);
/** Without rules of its own an autoscaler doubles at most, or starts this many. */
const SCALE_UP_FACTOR = 2;
const SCALE_UP_MINIMUM = 4;

/** How many replicas are allowed of those that are wanted, and what limits them or would do so next. */
export interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

export interface Range {
  readonly current: number;
  readonly wanted: number;
  readonly minimum: number;
  readonly maximum: number;
}

const IN_RANGE = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
} as const;
const TOO_FAST_UP = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
} as const;
const TOO_FAST_DOWN = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
} as const;
const TOO_MANY = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
} as const;
const TOO_FEW = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
} as const;

/** For an autoscaler without rules of its own. */
export function limitByRange(range: Range): Limited {
  const { current, wanted, minimum, maximum } = range;
  const fastest = int32OfDouble(Math.max(SCALE_UP_FACTOR * current, SCALE_UP_MINIMUM));
  if (wanted < minimum) return { replicas: minimum, ...TOO_FEW };
  if (maximum > fastest && wanted > fastest) return { replicas: fastest, ...TOO_FAST_UP };
  if (maximum <= fastest && wanted > maximum) return { replicas: maximum, ...TOO_MANY };
  return { replicas: wanted, ...IN_RANGE };
}

/** What was changed of late, in either direction. */
export interface ScaleHistory {
  readonly up: ScaleEvents;
  readonly down: ScaleEvents;
}

export interface Rules {
  readonly scaleUp: HPAScalingRules | undefined;
  readonly scaleDown: HPAScalingRules | undefined;
}

/** For one with rules: no faster than they allow, in the range. */
export function limitByRules(
  { current, wanted, minimum, maximum }: Range,
  { scaleUp, scaleDown }: Rules,
  history: ScaleHistory,
  nowMs: number,
): Limited {
  if (wanted > current) {
    // What was added of late may be more than the rules allow by now: then there are to be no more.
    const fastest = Math.max(scaleUpLimit(current, scaleUp, history, nowMs), current);
    const most = Math.min(maximum, fastest);
    if (wanted > most) return { replicas: most, ...(maximum > fastest ? TOO_FAST_UP : TOO_MANY) };
  } else if (wanted < current) {
    const fastest = Math.min(scaleDownLimit(current, scaleDown, history, nowMs), current);
    const least = Math.max(minimum, fastest);
    if (wanted < least) return { replicas: least, ...(minimum < fastest ? TOO_FAST_DOWN : TOO_FEW) };
  }
  return { replicas: wanted, ...IN_RANGE };
}

/** How many there may be at most; as many as there are where scaling up is switched off. */
export function scaleUpLimit(
  current: number,
  rules: HPAScalingRules | undefined,
  history: ScaleHistory,
  nowMs: number,
): number {
  const select = rules?.selectPolicy;
  if (select === "Disabled") return current;
  const proposals = proposalsOf(rules, (policy) => {
    const start = atPeriodStart(current, policy, history, nowMs);
    if (policy.type === "Pods") return (start + policy.value) | 0;
    // Rounded up: a small share of few would never add one.
    return int32OfDouble(Math.ceil(start * (1 + policy.value / 100)));
  });
  return select === "Min" ? lowest(proposals) : highest(proposals);
}

/** How few there may be at least. */
export function scaleDownLimit(
  current: number,
  rules: HPAScalingRules | undefined,
  history: ScaleHistory,
  nowMs: number,
): number {
  const select = rules?.selectPolicy;
  if (select === "Disabled") return current;
  const proposals = proposalsOf(rules, (policy) => {
    const start = atPeriodStart(current, policy, history, nowMs);
    if (policy.type === "Pods") return (start - policy.value) | 0;
    return int32OfDouble(start * (1 - policy.value / 100));
  });
  return select === "Min" ? highest(proposals) : lowest(proposals);
}

function proposalsOf(
  rules: HPAScalingRules | undefined,
  proposalOf: (policy: HPAScalingPolicy) => number,
): readonly number[] {
  return (rules?.policies ?? []).map(proposalOf);
}

function atPeriodStart(
  current: number,
  { periodSeconds }: HPAScalingPolicy,
  { up, down }: ScaleHistory,
  nowMs: number,
): number {
  const added = changeInPeriod(up, periodSeconds, nowMs);
  const removed = changeInPeriod(down, periodSeconds, nowMs);
  return (current - added + removed) | 0;
}

function highest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), MIN_INT32);
}

function lowest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), MAX_INT32);
}
