import { findCondition, setCondition } from "../../pkg/api/conditions.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../pkg/api/types/policy-v1.gen.ts";
import type { Expected } from "./budget.ts";
import type { Disrupted } from "./disrupted-pods.ts";

const DISRUPTION_ALLOWED = "DisruptionAllowed";
const SYNC_FAILED = "SyncFailed";

export interface StatusView {
  readonly budget: PodDisruptionBudget;
  readonly expected: Expected;
  readonly healthy: number;
  readonly disrupted: Disrupted;
}

/** The status to write; undefined when nothing in it changes. */
export function decideStatus(view: StatusView, nowMs: number): PodDisruptionBudgetStatus | undefined {
  const { budget, expected, healthy, disrupted } = view;
  const before = budget.status ?? {};
  const generation = budget.metadata.generation ?? 0;
  // Without pods no eviction is allowed: the first pod could be evicted before the cache shows it.
  const allowed = expected.pods <= 0 ? 0 : Math.max(0, healthy - expected.healthy);
  const enough = allowed > 0;
  const [status, reason] = enough ? ["True", "SufficientPods"] : ["False", "InsufficientPods"];
  const condition = findCondition(before.conditions, DISRUPTION_ALLOWED);
  const isSame =
    (before.currentHealthy ?? 0) === healthy &&
    (before.desiredHealthy ?? 0) === expected.healthy &&
    (before.expectedPods ?? 0) === expected.pods &&
    (before.disruptionsAllowed ?? 0) === allowed &&
    sameTimes(before.disruptedPods ?? {}, disrupted) &&
    (before.observedGeneration ?? 0) === generation &&
    condition?.status === status &&
    condition.reason === reason;
  if (isSame) return undefined;
  const next = { type: DISRUPTION_ALLOWED, status, reason, message: "", observedGeneration: generation };
  return {
    currentHealthy: healthy,
    desiredHealthy: expected.healthy,
    expectedPods: expected.pods,
    disruptionsAllowed: allowed,
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: disrupted }),
    observedGeneration: generation,
    conditions: setCondition(before.conditions ?? [], next, nowMs),
  };
}

/**
 * The status of a budget whose pods could not be counted: no eviction is allowed. Undefined when the status says so
 * already.
 */
export function failedStatus(
  budget: PodDisruptionBudget,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus | undefined {
  const before = budget.status ?? {};
  const { observedGeneration = 0 } = before;
  const next = {
    type: DISRUPTION_ALLOWED,
    status: "False",
    reason: SYNC_FAILED,
    message,
    observedGeneration,
  };
  const conditions = setCondition(before.conditions ?? [], next, nowMs);
  if ((before.disruptionsAllowed ?? 0) === 0 && conditions === before.conditions) return undefined;
  return { ...before, disruptionsAllowed: 0, conditions };
}

/** Whether the status says already that the pods could not be counted, and for this reason. */
export function saysFailed({ status }: PodDisruptionBudget, message: string): boolean {
  const condition = findCondition(status?.conditions, DISRUPTION_ALLOWED);
  return condition?.reason === SYNC_FAILED && condition.message === message;
}

function sameTimes(one: Disrupted, other: Disrupted): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && parseTime(one[name]) === parseTime(other[name]))
  );
}
