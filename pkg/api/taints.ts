import { parseInt64 } from "./int64.ts";
import type { Taint, Toleration } from "./types/core-v1.gen.ts";

/** What tells the taints of a node apart. */
export type TaintKey = Pick<Taint, "key" | "effect">;

export interface TolerationOptions {
  /** The operators Lt and Gt count (feature gate TaintTolerationComparisonOperators); otherwise they tolerate nothing. */
  readonly comparisonOperators?: boolean;
}

/**
 * An empty effect or key tolerates every effect or key. A key is empty only with operator Exists, which tolerates
 * every value.
 */
export function tolerates(toleration: Toleration, taint: Taint, options: TolerationOptions = {}): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? "") {
    case "":
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    case "Lt":
      return options.comparisonOperators === true && compareValues(taint, toleration, (a, b) => a < b);
    case "Gt":
      return options.comparisonOperators === true && compareValues(taint, toleration, (a, b) => a > b);
    default:
      return false;
  }
}

/** The first taint, of those with one of the effects (all of them by default), that no toleration covers. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects?: readonly string[],
  options: TolerationOptions = {},
): Taint | undefined {
  return taints?.find(
    (taint) =>
      (effects === undefined || effects.includes(taint.effect)) &&
      !(tolerations ?? []).some((toleration) => tolerates(toleration, taint, options)),
  );
}

/** A node has at most one taint of a key and an effect; the value does not make it another. */
export function isSameTaint(a: TaintKey, b: TaintKey): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** "key=value:effect", the way that people write taints; what is empty is left out. */
export function taintToString({ key, value, effect }: Taint): string {
  if (!effect) return value ? `${key}=${value}:` : key;
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`;
}

function compareValues(
  taint: Taint,
  toleration: Toleration,
  holds: (taint: bigint, toleration: bigint) => boolean,
): boolean {
  const actual = parseDecimal(taint.value ?? "");
  const bound = parseDecimal(toleration.value ?? "");
  return actual !== undefined && bound !== undefined && holds(actual, bound);
}

/** Only the form that people write: "0100" and "+100" are no numbers here. */
function parseDecimal(text: string): bigint | undefined {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined;
}
