import { describe, expect, test } from "vitest";
import { isSameTaint, taintToString, tolerates, untoleratedTaint } from "./taints.ts";
import type { Taint, Toleration } from "./types/core-v1.gen.ts";

const comparing = { comparisonOperators: true };
const taint = (key: string, value = "", effect = "NoSchedule"): Taint => ({ key, value, effect });
const noSchedule = "NoSchedule";

describe("tolerates", () => {
  test.each<[string, Toleration, Taint, boolean]>([
    ["key, effect, Exists", { key: "foo", operator: "Exists", effect: noSchedule }, taint("foo"), true],
    ["any value", { key: "foo", operator: "Exists", effect: noSchedule }, taint("foo", "bar"), true],
    ["any key", { key: "", operator: "Exists", effect: noSchedule }, taint("foo", "bar"), true],
    ["any effect", { operator: "Exists" }, taint("foo", "bar", "NoExecute"), true],
    ["Equal", { key: "foo", operator: "Equal", value: "bar", effect: noSchedule }, taint("foo", "bar"), true],
    ["no operator is Equal", { key: "foo", value: "bar" }, taint("foo", "bar"), true],
    ["no value on either side", { key: "foo" }, { key: "foo", effect: noSchedule }, true],
    ["another value", { key: "foo", operator: "Equal", value: "value1" }, taint("foo", "value2"), false],
    ["another key", { key: "bar", operator: "Exists" }, taint("foo"), false],
    [
      "another effect",
      { key: "foo", operator: "Equal", value: "bar", effect: noSchedule },
      taint("foo", "bar", "NoExecute"),
      false,
    ],
    ["an unknown operator", { key: "foo", operator: "In", value: "bar" }, taint("foo", "bar"), false],
  ])("%s", (_, toleration, against, expected) => {
    expect(tolerates(toleration, against)).toBe(expected);
  });

  test.each<[operator: "Gt" | "Lt", toleration: string, taint: string, boolean]>([
    ["Gt", "950", "800", false],
    ["Gt", "750", "950", true],
    ["Lt", "800", "950", false],
    ["Lt", "950", "800", true],
    ["Gt", "950", "950", false],
    ["Lt", "100", "100", false],
    ["Gt", "950", "high", false],
    ["Gt", "-100", "-200", false],
    ["Gt", "-100", "-50", true],
    ["Lt", "-50", "-100", true],
    ["Lt", "-100", "-50", false],
    ["Gt", "0", "1", true],
    ["Lt", "0", "-1", true],
    ["Gt", "9223372036854775806", "100", false],
    ["Gt", "9223372036854775806", "9223372036854775807", true],
    ["Gt", "1", "9223372036854775808", false],
    ["Gt", "abc", "100", false],
    ["Gt", "", "100", false],
    ["Gt", "0100", "200", false],
    ["Gt", "+100", "200", false],
    ["Gt", "100.5", "200", false],
    ["Gt", "-", "100", false],
    ["Gt", "100", "xyz", false],
    ["Gt", "100", "", false],
  ])("%s %s of taint value %s: %j", (operator, value, taintValue, expected) => {
    const toleration = { key: "sla", operator, value };
    expect(tolerates(toleration, taint("sla", taintValue), comparing)).toBe(expected);
    expect(tolerates(toleration, taint("sla", taintValue))).toBe(false);
  });
});

describe("untoleratedTaint", () => {
  const foo: Toleration = { key: "foo", operator: "Exists", effect: noSchedule };
  const fooNoExecute: Toleration = { key: "foo", operator: "Exists", effect: "NoExecute" };
  test.for<[string, Toleration[] | undefined, Taint[] | undefined, string[] | undefined, string | undefined]>(
    [
      ["no taints", [], [], undefined, undefined],
      ["nothing at all", undefined, undefined, undefined, undefined],
      ["tolerations but no taints", [foo], [], undefined, undefined],
      ["all tolerated", [foo], [taint("foo")], undefined, undefined],
      ["not tolerated, but not looked at", [foo], [taint("bar")], ["NoExecute"], undefined],
      ["not tolerated", [foo], [taint("bar")], undefined, "bar"],
      ["no tolerations", undefined, [taint("bar")], undefined, "bar"],
      [
        "one effect only",
        [fooNoExecute],
        [taint("foo", "", "NoExecute"), taint("bar")],
        ["NoExecute"],
        undefined,
      ],
      ["the first of two", [foo], [taint("foo"), taint("b"), taint("c")], undefined, "b"],
    ],
  )("%s", ([, tolerations, taints, effects, key]) => {
    expect(untoleratedTaint(taints, tolerations, effects)?.key).toBe(key);
  });

  test("passes its options on", () => {
    const sla = [{ key: "sla", operator: "Gt", value: "750" }];
    expect(untoleratedTaint([taint("sla", "950")], sla, undefined, comparing)).toBeUndefined();
    expect(untoleratedTaint([taint("sla", "950")], sla)?.key).toBe("sla");
  });
});

test.each<[Taint, string]>([
  [taint("foo", "bar", noSchedule), "foo=bar:NoSchedule"],
  [taint("foo", "", noSchedule), "foo:NoSchedule"],
  [taint("foo", "", ""), "foo"],
  [taint("foo", "bar", ""), "foo=bar:"],
])("taintToString(%j) is %s", (value, text) => {
  expect(taintToString(value)).toBe(text);
});

test("taints are the same by key and effect", () => {
  expect(isSameTaint(taint("foo", "bar"), taint("foo", "other"))).toBe(true);
  expect(isSameTaint(taint("foo"), taint("foo", "", "NoExecute"))).toBe(false);
  expect(isSameTaint(taint("foo"), taint("different"))).toBe(false);
});
