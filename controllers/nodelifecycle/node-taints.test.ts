import { describe, expect, test } from "vitest";
import type { Node, NodeCondition, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import { labelsToSet } from "./node-labels.ts";
import {
  hasEvictingTaints,
  isTaintedFor,
  isTaintedForOther,
  withConditionTaints,
  withEvictingTaint,
  withoutEvictingTaints,
} from "./node-taints.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = "2026-01-01T00:00:00Z";
const EARLIER = "2025-01-01T00:00:00Z";

/** E.g. "Ready=True DiskPressure=Unknown". */
function conditions(text: string): readonly NodeCondition[] {
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [type = "", status = ""] = part.split("=");
      return { type, status };
    });
}

/** E.g. "not-ready:NoSchedule example.com/x:NoExecute". */
function taints(text: string, timeAdded?: string): readonly Taint[] {
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [key = "", effect = ""] = part.split(":");
      const full = key.includes("/") ? key : `node.kubernetes.io/${key}`;
      return { key: full, effect, ...(timeAdded !== undefined && { timeAdded }) };
    });
}

function node(says: string, has = "", unschedulable = false): Node {
  return {
    metadata: { name: "node0" },
    spec: { taints: taints(has, EARLIER), ...(unschedulable && { unschedulable }) },
    status: { conditions: conditions(says) },
  };
}

function textOf(list: readonly Taint[]): string {
  return list.map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`).join(" ");
}

describe("taints that keep new pods away", () => {
  // upstream: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go#TestTaintsNodeByCondition
  test.each([
    ["Ready=True NetworkUnavailable=True", "network-unavailable:NoSchedule"],
    ["Ready=True NetworkUnavailable=True", "network-unavailable:NoSchedule"],
    ["Ready=False", "not-ready:NoSchedule"],
    ["Ready=Unknown", "unreachable:NoSchedule"],
  ])("follow from %s", (says, expected) => {
    expect(textOf(withConditionTaints(node(says), NOW_MS))).toBe(expected);
  });

  test.each([
    ["Ready=True MemoryPressure=True", "", "memory-pressure:NoSchedule"],
    ["Ready=True DiskPressure=True", "", "disk-pressure:NoSchedule"],
    ["Ready=True PIDPressure=True", "", "pid-pressure:NoSchedule"],
    ["Ready=True DiskPressure=Unknown PIDPressure=False", "", ""],
    ["Ready=False DiskPressure=True", "", "not-ready:NoSchedule disk-pressure:NoSchedule"],
    ["", "", ""],
    ["Other=True constructor=True toString=True", "", ""],
    // What is not called for any more goes, but only what follows from conditions, and of this effect.
    ["Ready=True", "not-ready:NoSchedule disk-pressure:NoSchedule", ""],
    ["Ready=Unknown", "not-ready:NoSchedule", "unreachable:NoSchedule"],
    [
      "Ready=True",
      "not-ready:NoExecute example.com/own:NoSchedule",
      "not-ready:NoExecute example.com/own:NoSchedule",
    ],
    ["Ready=False", "not-ready:NoExecute", "not-ready:NoExecute not-ready:NoSchedule"],
    ["Ready=True", "unschedulable:NoSchedule", ""],
    ["Ready=True", "out-of-service:NoSchedule", "out-of-service:NoSchedule"],
  ])("%s, with %s: %s", (says, has, expected) => {
    expect(textOf(withConditionTaints(node(says, has), NOW_MS))).toBe(expected);
  });

  test("a node that takes no pods has one", () => {
    expect(textOf(withConditionTaints(node("Ready=True", "", true), NOW_MS))).toBe(
      "unschedulable:NoSchedule",
    );
    const tainted = node("Ready=True", "unschedulable:NoSchedule", true);
    expect(withConditionTaints(tainted, NOW_MS)).toBe(tainted.spec?.taints);
  });

  test("those that are there keep their time and their place; new ones have the time of now", () => {
    const before = node(
      "Ready=False DiskPressure=True",
      "disk-pressure:NoSchedule example.com/own:NoExecute",
    );
    expect(withConditionTaints(before, NOW_MS)).toEqual([
      ...taints("disk-pressure:NoSchedule example.com/own:NoExecute", EARLIER),
      ...taints("not-ready:NoSchedule", NOW),
    ]);
  });

  test("thousands of conditions and taints are no more than many", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `c${index}=True`).join(" ");
    const own = Array.from({ length: 20_000 }, (_, index) => `example.com/t${index}:NoSchedule`).join(" ");
    const list = withConditionTaints(node(`${many} Ready=False`, own), NOW_MS);
    expect(list).toHaveLength(20_001);
  });
});

describe("taints that drive pods away", () => {
  // upstream: …#TestSwapUnreachableNotReadyTaints, …#TestApplyNoExecuteTaints
  test.each([
    ["Ready=Unknown", "", "unreachable:NoExecute"],
    ["Ready=False", "", "not-ready:NoExecute"],
    ["Ready=False", "unreachable:NoExecute", "not-ready:NoExecute"],
    ["Ready=Unknown", "not-ready:NoExecute", "unreachable:NoExecute"],
    ["Ready=True", "", ""],
    ["MemoryPressure=Unknown", "", ""],
    ["Ready=Unknown", "not-ready:NoExecute unreachable:NoExecute", "unreachable:NoExecute"],
    ["Ready=Unknown", "not-ready:NoSchedule", "not-ready:NoSchedule unreachable:NoExecute"],
    ["Ready=Perhaps", "not-ready:NoExecute", "not-ready:NoExecute"],
  ])("follow from %s, with %s: %s", (says, has, expected) => {
    expect(textOf(withEvictingTaint(node(says, has), NOW_MS))).toBe(expected);
  });

  test("one that is there keeps the time from which tolerations count", () => {
    const tainted = node("Ready=Unknown", "unreachable:NoExecute");
    expect(withEvictingTaint(tainted, NOW_MS)).toBe(tainted.spec?.taints);
  });

  test("one that takes the place of the other counts from now", () => {
    expect(withEvictingTaint(node("Ready=Unknown", "not-ready:NoExecute"), NOW_MS)).toEqual(
      taints("unreachable:NoExecute", NOW),
    );
  });

  test("are taken off, both of them and no others", () => {
    const tainted = node(
      "",
      "not-ready:NoExecute example.com/own:NoExecute unreachable:NoExecute unreachable:NoSchedule",
    );
    expect(textOf(withoutEvictingTaints(tainted))).toBe("example.com/own:NoExecute unreachable:NoSchedule");
    const other = node("", "unreachable:NoSchedule");
    expect(withoutEvictingTaints(other)).toBe(other.spec?.taints);
  });

  test.each([
    ["", false, false, false],
    ["not-ready:NoExecute", true, true, false],
    ["unreachable:NoExecute", true, false, true],
    ["unreachable:NoSchedule", false, false, false],
    ["not-ready:NoExecute unreachable:NoExecute", true, true, true],
  ])("are told apart on a node with %s", (has, any, forFalse, forOther) => {
    expect(hasEvictingTaints(node("", has))).toBe(any);
    expect(isTaintedFor(node("", has), "False")).toBe(forFalse);
    expect(isTaintedForOther(node("", has), "False")).toBe(forOther);
    expect(isTaintedFor(node("", has), "Unknown")).toBe(forOther);
    expect(isTaintedForOther(node("", has), "Unknown")).toBe(forFalse);
    expect(isTaintedFor(node("", has), "True") || isTaintedForOther(node("", has), "True")).toBe(false);
  });
});

describe("old names of labels", () => {
  // upstream: …#TestReconcileNodeLabels
  test.each<[string, Readonly<Record<string, string>> | undefined, Readonly<Record<string, string>>]>([
    ["none without labels", undefined, {}],
    ["none without those labels", { "topology.kubernetes.io/region": "region1" }, {}],
    [
      "are set where they are missing",
      { "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
      { "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64" },
    ],
    [
      "follow the new ones",
      {
        "beta.kubernetes.io/os": "windows",
        "beta.kubernetes.io/arch": "arm",
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
      },
      { "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64" },
    ],
    ["stay where they are right", { "beta.kubernetes.io/os": "linux", "kubernetes.io/os": "linux" }, {}],
    ["stay where there is no new one", { "beta.kubernetes.io/os": "linux" }, {}],
    ["may be empty", { "kubernetes.io/os": "" }, { "beta.kubernetes.io/os": "" }],
  ])("%s", (_, labels, expected) => {
    expect(labelsToSet({ metadata: { name: "node0", ...(labels && { labels }) } })).toEqual(expected);
  });
});
