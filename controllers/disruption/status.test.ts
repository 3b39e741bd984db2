import { describe, expect, test } from "vitest";
import type { PodDisruptionBudgetStatus } from "../../pkg/api/types/policy-v1.gen.ts";
import { budget } from "./samples.test-data.ts";
import { decideStatus, failedStatus } from "./status.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const EARLIER = "2025-01-01T00:00:00Z";

function decide(
  healthy: number,
  expected: { pods: number; healthy: number },
  before?: PodDisruptionBudgetStatus,
  disrupted: Readonly<Record<string, string>> = {},
): PodDisruptionBudgetStatus | undefined {
  return decideStatus({ budget: budget({}, before), healthy, expected, disrupted }, NOW);
}

// upstream: pkg/controller/disruption/disruption_test.go#TestNoSelector, #TestUnavailable, #TestTwoControllers: what
// comes of the counts
test.each([
  [1, { pods: 1, healthy: 3 }, 0],
  [3, { pods: 4, healthy: 3 }, 0],
  [4, { pods: 4, healthy: 3 }, 1],
  [9, { pods: 22, healthy: 7 }, 2],
  [4, { pods: 10, healthy: 5 }, 0],
  [0, { pods: 0, healthy: 0 }, 0],
])("with %d healthy of %j %d may be evicted", (healthy, expected, allowed) => {
  const status = decide(healthy, expected);
  expect(status).toEqual({
    currentHealthy: healthy,
    desiredHealthy: expected.healthy,
    expectedPods: expected.pods,
    disruptionsAllowed: allowed,
    observedGeneration: 1,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: allowed > 0 ? "True" : "False",
        reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 1,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });
});

describe("a status", () => {
  const settled: PodDisruptionBudgetStatus = {
    ...decide(4, { pods: 4, healthy: 3 }),
    disruptedPods: { p: EARLIER },
  };
  const again = (before: PodDisruptionBudgetStatus, disrupted = { p: EARLIER }) =>
    decide(4, { pods: 4, healthy: 3 }, before, disrupted);

  test("that is right is not written", () => {
    expect(again(settled)).toBeUndefined();
    // The same time, in other letters.
    expect(again(settled, { p: "2025-01-01T00:00:00.000Z" })).toBeUndefined();
  });

  test.each<[string, PodDisruptionBudgetStatus]>([
    ["count", { ...settled, currentHealthy: 3 }],
    ["generation", { ...settled, observedGeneration: 0 }],
    ["list of evictions", { ...settled, disruptedPods: { p: EARLIER, q: EARLIER } }],
    ["time of an eviction", { ...settled, disruptedPods: { p: "2025-01-01T00:00:01Z" } }],
    ["condition", { ...settled, conditions: [] }],
    [
      "reason",
      {
        ...settled,
        conditions: settled.conditions?.map((each) => ({ ...each, reason: "SyncFailed" })) ?? [],
      },
    ],
  ])("with another %s is written", (_, before) => {
    expect(again(before)).toMatchObject({
      currentHealthy: 4,
      disruptionsAllowed: 1,
      disruptedPods: { p: EARLIER },
    });
  });

  // upstream: pkg/controller/disruption/disruption_test.go#TestKeepExistingPDBConditionDuringSync
  test("keeps the conditions of others", () => {
    const theirs = {
      type: "ExistingTestCondition",
      status: "True",
      reason: "Test",
      message: "",
      lastTransitionTime: EARLIER,
    };
    const conditions = decide(0, { pods: 0, healthy: 3 }, { conditions: [theirs] })?.conditions;
    expect(conditions?.map(({ type }) => type)).toEqual(["ExistingTestCondition", "DisruptionAllowed"]);
    expect(conditions?.[0]).toBe(theirs);
  });
});

describe("when the pods could not be counted", () => {
  const before = decide(4, { pods: 4, healthy: 3 });
  test("no eviction is allowed, and the reason is told", () => {
    const status = failedStatus(budget({}, before), "no scale", NOW);
    expect(status).toMatchObject({ currentHealthy: 4, disruptionsAllowed: 0 });
    expect(status?.conditions).toMatchObject([
      { status: "False", reason: "SyncFailed", message: "no scale" },
    ]);
  });

  test("that is written once", () => {
    const told = failedStatus(budget({}, before), "no scale", NOW);
    expect(failedStatus(budget({}, told), "no scale", NOW)).toBeUndefined();
    expect(failedStatus(budget({}, told), "another reason", NOW)).toBeDefined();
  });
});
