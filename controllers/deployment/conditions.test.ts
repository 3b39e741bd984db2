import { describe, expect, test } from "vitest";
import { type Conditions, withCondition, withoutCondition, withRefreshedCondition } from "./conditions.ts";

const progressing = { type: "Progressing", status: "False", reason: "ForSomeReason" };
const better = { type: "Progressing", status: "True", reason: "BecauseItIs" };
const available = { type: "Available", status: "True", reason: "AwesomeController" };

describe("a condition that is set", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestSetCondition
  test.each<[string, Conditions, typeof progressing, Conditions]>([
    ["is the first", [], available, [available]],
    ["goes behind the others", [progressing], available, [progressing, available]],
    ["takes the place of one of its type", [progressing], better, [better]],
  ])("%s", (_, before, next, expected) => {
    expect(withCondition(before, next)).toEqual(expected);
  });

  test("changes nothing when it says the same, but for a refreshed one's time of update", () => {
    const first = { ...better, lastUpdateTime: "1", lastTransitionTime: "1" };
    const second = { ...better, lastUpdateTime: "2", lastTransitionTime: "2" };
    const before = [first];
    expect(withCondition(before, second)).toBe(before);
    expect(withRefreshedCondition(before, second)).toEqual([{ ...second, lastTransitionTime: "1" }]);
  });

  test("keeps the time of its transition while its status stays", () => {
    const first = { ...better, lastTransitionTime: "1" };
    const next = { ...better, reason: "Another", lastTransitionTime: "2" };
    expect(withCondition([first], next)).toEqual([{ ...next, lastTransitionTime: "1" }]);
    expect(withCondition([first], { ...next, status: "False" })).toMatchObject([{ lastTransitionTime: "2" }]);
  });
});

describe("a condition that is removed", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestRemoveCondition
  test.each<[string, Conditions, string, Conditions]>([
    ["was not there", [], "Progressing", []],
    ["was the only one", [progressing], "Progressing", []],
    ["leaves others", [progressing, available], "ReplicaFailure", [progressing, available]],
  ])("%s", (_, before, type, expected) => {
    expect(withoutCondition(before, type)).toEqual(expected);
  });
});
