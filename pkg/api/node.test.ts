import { describe, expect, test } from "vitest";
import {
  findUntoleratedTaint,
  hasTaint,
  isNodeReady,
  nodeCondition,
  tolerates,
  withTaint,
  withoutTaint,
} from "./node.ts";
import type { Node, Taint, Toleration } from "./types/core-v1.gen.ts";

const comparing = { comparisonOperators: true };
const plain = { comparisonOperators: false };
const foo: Taint = { key: "foo", value: "bar", effect: "NoSchedule" };
const other: Taint = { key: "foo", value: "bar", effect: "NoExecute" };

test.each(["True", "False", "Unknown"])("a node whose Ready is %s", (status) => {
  const node: Node = { metadata: {}, status: { conditions: [{ type: "Ready", status }] } };
  expect(isNodeReady(node)).toBe(status === "True");
  expect(nodeCondition(node, "Ready")?.status).toBe(status);
  expect(nodeCondition(node, "DiskPressure")).toBeUndefined();
  expect(isNodeReady({ metadata: {} })).toBe(false);
});

describe("taints of a node", () => {
  test("are one per key and effect", () => {
    expect(hasTaint([other], foo)).toBe(false);
    expect(hasTaint([{ ...foo, value: "else" }], foo)).toBe(true);
    expect(hasTaint(undefined, foo)).toBe(false);
  });

  test("are added at the end, or put in the place of their predecessor", () => {
    expect(withTaint([other], foo)).toEqual([other, foo]);
    expect(withTaint([{ ...foo, value: "else" }, other], foo)).toEqual([foo, other]);
    const added = { ...foo, timeAdded: "2026-01-02T00:00:00Z" };
    expect(withTaint([foo], added)).toEqual([added]);
  });

  test("stay the same list when nothing changes", () => {
    const list = [{ ...foo, timeAdded: "2026-01-02T00:00:00Z" }, other];
    expect(withTaint(list, { ...foo, timeAdded: "2026-01-02T01:00:00+01:00" })).toBe(list);
    expect(withoutTaint(list, { key: "none", effect: "NoSchedule" })).toBe(list);
  });

  test("are removed whatever their value", () => {
    expect(withoutTaint([foo, other], { key: "foo", effect: "NoSchedule" })).toEqual([other]);
  });
});

describe("tolerates", () => {
  test.each<[string, Toleration, Taint, boolean]>([
    ["exists, same effect", { key: "foo", operator: "Exists", effect: "NoSchedule" }, foo, true],
    ["exists, no effect named", { key: "foo", operator: "Exists" }, foo, true],
    ["exists, no key named", { operator: "Exists" }, foo, true],
    ["exists, another effect", { key: "foo", operator: "Exists", effect: "PreferNoSchedule" }, foo, false],
    ["exists, another key", { key: "bar", operator: "Exists" }, foo, false],
    ["equal value", { key: "foo", operator: "Equal", value: "bar", effect: "NoSchedule" }, foo, true],
    ["equal by default", { key: "foo", value: "bar" }, foo, true],
    ["another value", { key: "foo", operator: "Equal", value: "else" }, foo, false],
    ["no value on either side", { key: "foo" }, { key: "foo", effect: "NoSchedule" }, true],
    ["an unknown operator", { key: "foo", operator: "Near", value: "bar" }, foo, false],
  ])("%s", (_name, toleration, taint, tolerated) => {
    expect(tolerates(toleration, taint, plain)).toBe(tolerated);
  });

  test.each<[string, string, string, boolean]>([
    // the taint's value, the operator, the toleration's value
    ["950", "Gt", "900", true],
    ["900", "Gt", "900", false],
    ["100", "Lt", "150", true],
    ["150", "Lt", "150", false],
    ["-5", "Lt", "0", true],
    ["9223372036854775807", "Gt", "9223372036854775806", true],
    ["9223372036854775808", "Gt", "1", false],
    ["0950", "Gt", "900", false],
    ["+950", "Gt", "900", false],
    ["-0", "Lt", "1", false],
    ["high", "Gt", "900", false],
    ["950", "Gt", "low", false],
    ["", "Gt", "900", false],
  ])("%j %s %j: %s", (value, operator, bound, tolerated) => {
    const taint = { key: "level", value, effect: "NoSchedule" };
    const toleration = { key: "level", operator, value: bound };
    expect(tolerates(toleration, taint, comparing)).toBe(tolerated);
    expect(tolerates(toleration, taint, plain)).toBe(false);
  });
});

test("findUntoleratedTaint finds the first that no toleration covers", () => {
  const tolerations: Toleration[] = [{ key: "foo", operator: "Exists", effect: "NoSchedule" }];
  expect(findUntoleratedTaint([foo, other], tolerations, plain)).toBe(other);
  expect(findUntoleratedTaint([foo], tolerations, plain)).toBeUndefined();
  expect(findUntoleratedTaint([foo], [], plain)).toBe(foo);
  expect(findUntoleratedTaint([], [], plain)).toBeUndefined();
});
