import { findCondition, hasCondition } from "./conditions.ts";
import { isSameTaint } from "./taints.ts";
import { parseTime } from "./time.ts";
import type { Node, NodeCondition, Taint } from "./types/core-v1.gen.ts";

export function nodeCondition(node: Node, type: string): NodeCondition | undefined {
  return findCondition(node.status?.conditions, type);
}

export function isNodeReady(node: Node): boolean {
  return hasCondition(node.status?.conditions, "Ready", "True");
}

export function hasTaint(taints: readonly Taint[] | undefined, taint: Taint): boolean {
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
export function withoutTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  const kept = taints.filter((each) => !isSameTaint(each, taint));
  return kept.length === taints.length ? taints : kept;
}
