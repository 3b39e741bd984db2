import { tolerates, type TolerationOptions } from "../../pkg/api/taints.ts";
import type { Taint, Toleration } from "../../pkg/api/types/core-v1.gen.ts";

/** A taint that evicts, and since when: by the clock that never jumps. */
export interface TaintSince {
  readonly taint: Taint;
  readonly sinceMs: number;
}

export type EvictionPlan =
  /** `dueMs` may be long past, or the time of nobody: pods that do not tolerate have no time. */
  | { readonly kind: "now"; readonly dueMs: number; readonly reason: string; readonly taint: string }
  | { readonly kind: "later"; readonly dueMs: number }
  | { readonly kind: "never" };

/** A pod that is to go some time. */
export interface Planned {
  /** Since when it has been on its node. */
  readonly sinceMs: number;
  readonly dueMs: number;
}

interface EvictionQuestion {
  readonly tolerations: readonly Toleration[] | undefined;
  /** Those of its node that evict. */
  readonly taints: readonly TaintSince[];
  /** Since when the pod is on the node: of a taint that was there before, it tolerates no less than of another. */
  readonly podSinceMs: number;
  readonly nowMs: number;
  readonly options?: TolerationOptions;
}

export const NOT_TOLERATED = "The pod does not tolerate a taint";
const TIME_IS_UP = "The time for which the pod tolerates a taint is over";

const NEVER: EvictionPlan = Object.freeze({ kind: "never" });

/**
 * When a pod has to leave its node. Of each taint the first toleration that covers it counts, and the first of the times
 * that these give; a toleration without a time is for ever.
 */
export function planEviction(question: EvictionQuestion): EvictionPlan {
  const { tolerations = [], taints, podSinceMs, nowMs, options } = question;
  let first: { readonly dueMs: number; readonly taint: string } | undefined;
  for (const { taint, sinceMs } of taints) {
    const toleration = tolerations.find((each) => tolerates(each, taint, options));
    if (toleration === undefined)
      return { kind: "now", dueMs: Math.max(sinceMs, podSinceMs), reason: NOT_TOLERATED, taint: taint.key };
    if (toleration.tolerationSeconds === undefined) continue;
    const forMs = Math.max(0, Number(toleration.tolerationSeconds)) * 1_000;
    // Without any time, it does not matter how exactly it is known since when the pod is there.
    const dueMs = forMs === 0 ? sinceMs : Math.max(sinceMs, podSinceMs) + forMs;
    if (first === undefined || dueMs < first.dueMs) first = { dueMs, taint: taint.key };
  }
  return first === undefined ? NEVER : planAt(first, nowMs);
}

/** When a pod goes whose node is gone: what was planned stays, and nothing comes to it. */
export function planWithoutNode(planned: Planned | undefined, nowMs: number): EvictionPlan {
  return planned === undefined ? NEVER : planAt({ dueMs: planned.dueMs, taint: "" }, nowMs);
}

function planAt(end: { readonly dueMs: number; readonly taint: string }, nowMs: number): EvictionPlan {
  return end.dueMs > nowMs
    ? { kind: "later", dueMs: end.dueMs }
    : { kind: "now", reason: TIME_IS_UP, ...end };
}

export function evictingTaints(taints: readonly Taint[] | undefined): readonly Taint[] {
  return taints?.filter(({ effect }) => effect === "NoExecute") ?? [];
}
