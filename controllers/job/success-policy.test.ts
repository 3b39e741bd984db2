import { expect, test } from "vitest";
import type { SuccessPolicyRule } from "../../pkg/api/types/batch-v1.gen.ts";
import { IndexRanges } from "./index-ranges.ts";
import { matchSuccessPolicy } from "./success-policy.ts";

const ofAll = (succeededIndexes: string): SuccessPolicyRule => ({ succeededIndexes });
const ofSome = (succeededIndexes: string, succeededCount: number): SuccessPolicyRule => ({
  succeededIndexes,
  succeededCount,
});
const ofAny = (succeededCount: number): SuccessPolicyRule => ({ succeededCount });

// upstream: pkg/controller/job/success_policy_test.go#TestMatchSuccessPolicy
test.each<[string, readonly SuccessPolicyRule[] | undefined, string, number | undefined]>([
  ["no policy", undefined, "0", undefined],
  ["no rules", [], "0", undefined],
  ["a rule that cannot be read", [ofAll("invalid-form")], "0", undefined],
  ["all of a rule", [ofAll("0-2")], "0-2,4-7", 0],
  ["none of a rule", [ofAll("3")], "0-2", undefined],
  ["more than the count", [ofAny(2)], "0-2", 0],
  ["less than the count", [ofAny(4)], "0-2", undefined],
  ["all of the second rule", [ofAll("9"), ofAll("4,6")], "0-2,4-7", 1],
  ["all of both rules", [ofAll("0,1"), ofAll("5")], "0-2,4-7", 0],
  ["enough of a rule", [ofSome("3-6", 2)], "0-2,4-7", 0],
  ["not enough of a rule", [ofSome("3-6", 2)], "0-2,6,7", undefined],
  ["nothing, counted", [ofAny(4)], "", undefined],
  ["more than a rule", [ofAll("2-4,6-8")], "1-9", 0],
  ["a rule to the letter", [ofAll("2-4,6-9")], "2-4,6-9", 0],
  ["a rule that is too great in part", [ofAll("2-4,8-12")], "2-5,7-15", 0],
  ["an empty rule", [ofAll("")], "1-3", undefined],
  ["an empty rule, of nothing", [ofAll("")], "", undefined],
  ["a rule that is too great", [ofAll("10-12,14-16")], "1-3,5-7", undefined],
  ["a rule but its first", [ofAll("1-3,5-7")], "2-4,6-8", undefined],
  ["enough of a rule but its first", [ofSome("1-3,5-7", 4)], "2-4,6-8", 0],
  ["a rule but its last", [ofAll("2-4,6-9")], "1-3,5-7", undefined],
  ["enough of a rule but its last", [ofSome("2-4,6-9", 4)], "1-3,5-7", 0],
  ["the middles of a rule", [ofAll("0-4,6-9")], "1-3,7,8", undefined],
  ["enough of the middles of a rule", [ofSome("0-4,6-9", 5)], "1-3,7,8", 0],
  ["a rule across two ranges", [ofAll("0-6,8-9")], "1-3,5-9", undefined],
  ["enough of a rule across two ranges", [ofSome("0-6,8-9", 7)], "1-3,5-9", 0],
  ["a rule but one", [ofAll("0-5,7-9")], "1-5,7-10", undefined],
  ["enough of a rule but one", [ofSome("0-5,7-9", 8)], "1-5,7-10", 0],
  ["one range for a rule of two", [ofAll("0-3,6-9")], "1-10", undefined],
  ["enough of one range for a rule of two", [ofSome("0-3,6-9", 7)], "1-10", 0],
])("%s", (_, rules, succeeded, expected) => {
  const policy = rules && { rules };
  expect(matchSuccessPolicy(policy, 10, IndexRanges.parse(succeeded, 20))).toBe(
    expected === undefined ? undefined : `Matched rules at index ${expected}`,
  );
});
