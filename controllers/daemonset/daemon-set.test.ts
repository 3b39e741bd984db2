import { describe, expect, test } from "vitest";
import { IntOrStringError } from "../../pkg/api/int-or-string.ts";
import type { DaemonSetUpdateStrategy } from "../../pkg/api/types/apps-v1.gen.ts";
import { allowsSurge, rollingLimits, templateGeneration } from "./daemon-set.ts";
import { daemonSet, ON_DELETE, surge, unavailable } from "./samples.test-data.ts";

describe("what an update may do at once", () => {
  // upstream: pkg/controller/daemon/update_test.go#TestGetUnavailableNumbers, whose counting of nodes without a pod is
  // in rolling-update.test.ts
  test.for<[string, DaemonSetUpdateStrategy, number, number, number]>([
    ["nothing without nodes", unavailable(0), 0, 0, 0],
    ["as many as it says", unavailable(1), 2, 0, 1],
    ["one unavailable where it says none", unavailable(0), 2, 0, 1],
    ["one unavailable where it says neither surge", surge(0), 2, 0, 1],
    ["half of two", unavailable("50%"), 2, 0, 1],
    ["half of two beside the old ones", surge("50%"), 2, 1, 0],
    ["all of them beside the old ones", surge("100%"), 2, 2, 0],
    ["half of three, rounded up", unavailable("50%"), 3, 0, 2],
    ["nothing of one that is not rolled", ON_DELETE, 0, 0, 0],
  ])("%s", ([, strategy, desired, maxSurge, maxUnavailable]) => {
    expect(rollingLimits(daemonSet({ strategy }), desired)).toEqual({ maxSurge, maxUnavailable });
  });

  test("is an error when it is neither a number nor a percentage", () => {
    expect(() => rollingLimits(daemonSet({ strategy: unavailable("many") }), 3)).toThrow(IntOrStringError);
  });
});

test.each([
  [surge(1), true],
  [surge("1%"), true],
  [surge(0), false],
  [surge("many"), false],
  [unavailable(1), false],
  [ON_DELETE, false],
])("of %j two pods on a node are allowed: %s", (strategy, expected) => {
  expect(allowsSurge(daemonSet({ strategy }))).toBe(expected);
});

test.each([
  ["12345", "12345"],
  ["007", "7"],
  ["1.5", undefined],
  ["", undefined],
])("the annotation %j says generation %j", (annotation, expected) => {
  const annotations = { "deprecated.daemonset.template.generation": annotation };
  expect(templateGeneration(daemonSet({ annotations }))).toBe(expected);
});
