import { formatTime } from "./time.ts";
import type { Condition } from "./types/meta.gen.ts";

/** A condition as it is to be; without a time of its own it gets the present one when its status changes. */
export type NewCondition = Omit<Condition, "lastTransitionTime"> & { readonly lastTransitionTime?: string };

export function findCondition<T extends { readonly type: string }>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function hasCondition(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
  status: string,
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/** The list with this condition; the same list when nothing changes. The transition time moves with the status only. */
export function setCondition(
  conditions: readonly Condition[],
  next: NewCondition,
  nowMs: number,
): readonly Condition[] {
  const transitionTime = next.lastTransitionTime ?? formatTime(nowMs);
  const before = findCondition(conditions, next.type);
  if (before === undefined) return [...conditions, { ...next, lastTransitionTime: transitionTime }];
  const same =
    before.status === next.status &&
    before.reason === next.reason &&
    before.message === next.message &&
    (before.observedGeneration ?? 0) === (next.observedGeneration ?? 0);
  if (same) return conditions;
  const lastTransitionTime = before.status === next.status ? before.lastTransitionTime : transitionTime;
  const { observedGeneration: _, ...kept } = before;
  const after = { ...kept, ...next, lastTransitionTime };
  return conditions.map((condition) => (condition === before ? after : condition));
}

/** The list without this condition; the same list when there is none. */
export function removeCondition<T extends { readonly type: string }>(
  conditions: readonly T[],
  type: string,
): readonly T[] {
  const kept = conditions.filter((condition) => condition.type !== type);
  return kept.length === conditions.length ? conditions : kept;
}
