import { findCondition, hasCondition } from "./conditions.ts";
import { parseTime } from "./time.ts";
import type { Node, NodeCondition, Taint, Toleration } from "./types/core-v1.gen.ts";

export function nodeCondition(node: Node, type: string): NodeCondition | undefined {
  return findCondition(node.status?.conditions, type);
}

export function isNodeReady(node: Node): boolean {
  return hasCondition(node.status?.conditions, "Ready", "True");
}

/** A node has one taint per key and effect, whatever its value. */
export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
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

export interface TolerationOptions {
  /** Feature gate TaintTolerationComparisonOperators: Lt and Gt. */
  readonly comparisonOperators: boolean;
}

/** Empty fields of a toleration match everything; no operator means Equal. */
export function tolerates(toleration: Toleration, taint: Taint, options: TolerationOptions): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? "") {
    case "":
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    case "Lt":
    case "Gt":
      return options.comparisonOperators && compares(toleration, taint);
    default:
      return false;
  }
}

/** The first taint that none of the tolerations tolerates. */
export function findUntoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  options: TolerationOptions,
): Taint | undefined {
  return taints.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint, options)));
}

function compares(toleration: Toleration, taint: Taint): boolean {
  const [bound, value] = [parseInt64(toleration.value), parseInt64(taint.value)];
  if (bound === undefined || value === undefined) return false;
  return toleration.operator === "Lt" ? value < bound : value > bound;
}

/** A decimal int64 in canonical form: no plus sign, no leading zeros, no -0. */
function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^(0|-?[1-9][0-9]*)$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
