import { findCondition, hasCondition } from "./conditions.ts";
import { isSameTaint, type TaintKey } from "./taints.ts";
import { parseTime } from "./time.ts";
import type { PartOf } from "./projected.ts";
import type { Node, Taint } from "./types/core-v1.gen.ts";

export function nodeCondition<C extends { readonly type: string }>(
  node: { readonly status?: { readonly conditions?: readonly C[] } },
  type: string,
): C | undefined {
  return findCondition(node.status?.conditions, type);
}

export function isNodeReady(
  node: PartOf<Node, "status.conditions.type" | "status.conditions.status">,
): boolean {
  return hasCondition(node.status?.conditions, "Ready", "True");
}

export function hasTaint(taints: readonly TaintKey[] | undefined, taint: TaintKey): boolean {
  return taints?.some((each) => isSameTaint(each, taint)) ?? false;
}

/** The list with this taint, in the place of its predecessor; the same list when it has the very taint. */
export function withTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  const before = taints.find((each) => isSameTaint(each, taint));
  if (before === undefined) return [...taints, taint];
  const equal =
    (before.value ?? "") === (taint.value ?? "") &&
    parseTime(before.timeAdded) === parseTime(taint.timeAdded);
  return equal ? taints : taints.map((each) => (isSameTaint(each, taint) ? taint : each));
}

/** The list without this taint; the same list when it is not there. */
export function withoutTaint(taints: readonly Taint[], taint: TaintKey): readonly Taint[] {
  const kept = taints.filter((each) => !isSameTaint(each, taint));
  return kept.length === taints.length ? taints : kept;
}
