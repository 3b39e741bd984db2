import type { SuccessPolicy, SuccessPolicyRule } from "../../pkg/api/types/batch-v1.gen.ts";
import { IndexRanges } from "./index-ranges.ts";

/** Which rule makes a success of the indexes that have succeeded, as a message; undefined when none does. */
export function matchSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: IndexRanges,
): string | undefined {
  if (policy === undefined || succeeded.size === 0) return undefined;
  const index = policy.rules.findIndex((rule) => isMet(rule, completions, succeeded));
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}

function isMet(rule: SuccessPolicyRule, completions: number, succeeded: IndexRanges): boolean {
  const { succeededIndexes, succeededCount } = rule;
  if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
  const required = IndexRanges.parse(succeededIndexes, completions);
  if (required.size === 0) return false;
  const met = succeeded.overlap(required);
  return met === required.size || (succeededCount !== undefined && met >= succeededCount);
}
