import { describe, expect, test } from "vitest";
import { IntOrStringError } from "../../pkg/api/int-or-string.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { PodDisruptionBudgetSpec } from "../../pkg/api/types/policy-v1.gen.ts";
import { dependsOnScale, expectedPods, rememberedCoverage } from "./budget.ts";
import { budget, LABELS, minAvailable } from "./samples.test-data.ts";
import { selectorText } from "../../pkg/api/label-selector-text.ts";

// upstream: pkg/controller/disruption/disruption_test.go#TestIntegerMaxUnavailableWithScaling,
// #TestPercentageMaxUnavailableWithScaling, #TestReplicaSet, #TestReplicationController, #TestStatefulSetController,
// #TestTwoControllers, #TestScaleResource, #TestUnavailable: their numbers
describe("a budget of", () => {
  test.for<[PodDisruptionBudgetSpec, number, number, number, number]>([
    [{ maxUnavailable: 2 }, 1, 7, 7, 5],
    [{ maxUnavailable: 2 }, 1, 5, 5, 3],
    [{ maxUnavailable: 9 }, 1, 5, 5, 0],
    [{ maxUnavailable: "30%" }, 1, 7, 7, 4],
    [{ maxUnavailable: "30%" }, 1, 3, 3, 2],
    [{ maxUnavailable: "0%" }, 1, 3, 3, 3],
    [{ minAvailable: "20%" }, 1, 10, 10, 2],
    [{ minAvailable: "34%" }, 3, 3, 3, 2],
    [{ minAvailable: "28%" }, 11, 11, 11, 4],
    [{ minAvailable: "28%" }, 22, 22, 22, 7],
    [{ maxUnavailable: 5 }, 4, 10, 10, 5],
    [{ minAvailable: 3 }, 4, 0, 4, 3],
    [{ minAvailable: 3 }, 0, 0, 0, 3],
    [{}, 4, 0, 0, 0],
  ])("%j with %d pods of %d: of %d pods %d must be healthy", ([spec, present, scale, pods, healthy]) => {
    expect(expectedPods(spec, present, scale)).toEqual({ pods, healthy });
  });

  test("neither a number nor a percentage is an error", () => {
    expect(() => expectedPods({ minAvailable: "most" }, 1, 1)).toThrow(IntOrStringError);
  });

  test.each<[PodDisruptionBudgetSpec, boolean]>([
    [{ maxUnavailable: 1 }, true],
    [{ maxUnavailable: "1%" }, true],
    [{ minAvailable: "1%" }, true],
    [{ minAvailable: 1 }, false],
    [{}, false],
  ])("%j depends on how many pods are wanted: %s", (spec, expected) => {
    expect(dependsOnScale(spec)).toBe(expected);
  });
});

// upstream: pkg/controller/disruption/disruption_test.go#TestInvalidSelectors, #TestNoSelector
test("a budget covers what it selects: an empty selector all, none or a senseless one nothing", () => {
  const covers = rememberedCoverage();
  const { selector: _, ...without } = minAvailable(1).spec ?? {};
  const illegal = { matchExpressions: [{ key: "foo", operator: "illegal", values: ["bar"] }] };
  const slashes = { matchLabels: { "k8s.io/too/many/slashes": "value" } };
  const covered = (spec: PodDisruptionBudgetSpec) => covers(budget(spec), LABELS);
  expect(covered({})).toBe(true);
  expect(covered({ selector: {} })).toBe(true);
  expect(covered({ selector: { matchLabels: { foo: "baz" } } })).toBe(false);
  expect(covers({ ...budget({}), spec: without }, LABELS)).toBe(false);
  expect(covered({ selector: illegal })).toBe(false);
  expect(covered({ selector: slashes })).toBe(false);
  expect(() => selectorFromSpec(illegal)).toThrow();
});

test.each([
  [undefined, "nil"],
  [{}, "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"],
  [
    {
      matchLabels: { foo: "bar", a: "b" },
      matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
    },
    "&LabelSelector{MatchLabels:map[string]string{a: b,foo: bar,},MatchExpressions:[]LabelSelectorRequirement{" +
      "LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
  ],
])("the selector %j is written as the Go program writes it", (selector, text) => {
  expect(selectorText(selector)).toBe(text);
});
