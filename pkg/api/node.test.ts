import { describe, expect, test } from "vitest";
import { hasTaint, isNodeReady, nodeCondition, withTaint, withoutTaint } from "./node.ts";
import type { Node, Taint } from "./types/core-v1.gen.ts";

const foo: Taint = { key: "foo", value: "bar", effect: "NoSchedule" };
const other: Taint = { key: "foo", value: "bar", effect: "NoExecute" };

test.each(["True", "False", "Unknown"])("a node whose Ready is %s", (status) => {
  const node: Node = { metadata: {}, status: { conditions: [{ type: "Ready", status }] } };
  expect(isNodeReady(node)).toBe(status === "True");
  expect(nodeCondition(node, "Ready")?.status).toBe(status);
  expect(nodeCondition(node, "DiskPressure")).toBeUndefined();
  expect(isNodeReady({})).toBe(false);
});

describe("taints of a node", () => {
  test("are one per key and effect", () => {
    expect(hasTaint([other], foo)).toBe(false);
    expect(hasTaint([other, { key: foo.key, effect: foo.effect }], foo)).toBe(true);
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
