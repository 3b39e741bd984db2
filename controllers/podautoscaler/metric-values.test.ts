import { describe, expect, test } from "vitest";
import { externalName, resourceText, targetOf } from "./metric-values.ts";

// upstream: pkg/controller/podautoscaler/horizontal_test.go#TestBuildQuantity
test.each([
  ["memory", 1_000n, "1"],
  ["memory", 1_024_000n, "1Ki"],
  ["memory", 1_024_000_000n, "1000Ki"],
  ["memory", 1_500n, "1500m"],
  ["cpu", 100n, "100m"],
  ["cpu", 500n, "500m"],
  ["cpu", 1n, "1m"],
  ["custom-resource", 200n, "200m"],
  ["custom-resource", 300n, "300m"],
])("of %s %d thousandths are %s", (resource, value, text) => {
  expect(resourceText(resource, value)).toBe(text);
});

test.each([
  ["1500m", 1_500n],
  ["2", 2_000n],
  ["1u", 1n],
  ["-1u", -1n],
  ["9223372036854775", 9_223_372_036_854_775_000n],
  // Of what does not fit the lowest bits are left, or nothing, as Go happens to keep it.
  ["9223372036854776", BigInt.asIntN(64, 9_223_372_036_854_776_000n)],
  ["10E", 0n],
  ["1234567890123456789", BigInt.asIntN(64, 1_234_567_890_123_456_789_000n)],
])("a target of %s is %d thousandths", (text, expected) => {
  expect(targetOf(text)).toBe(expected);
});

describe("a metric of something outside", () => {
  test.each([
    [{ name: "qps" }, "external metric qps(nil)"],
    [
      { name: "qps", selector: { matchLabels: { a: "b" } } },
      "external metric qps(&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},})",
    ],
  ])("%j is named as Go prints it", (metric, expected) => {
    expect(externalName(metric)).toBe(expected);
  });
});
