import { describe, expect, test } from "vitest";
import type { Taint, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { type EvictionPlan, evictingTaints, planEviction, type TaintSince } from "./eviction-plan.ts";

const NOW = 1_000_000;
const taint = (key: string, value = ""): Taint => ({ key, value, effect: "NoExecute" });
const since = (key: string, agoMs = 0): TaintSince => ({ taint: taint(key), sinceMs: NOW - agoMs });
const forSeconds = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

function plan(
  tolerations: readonly Toleration[] | undefined,
  taints: readonly TaintSince[],
  podAgoMs = 60_000,
): EvictionPlan {
  return planEviction({ tolerations, taints, podSinceMs: NOW - podAgoMs, nowMs: NOW });
}

/** In how many milliseconds; undefined: never. */
function dueInMs(made: EvictionPlan): number | undefined {
  return made.kind === "never" ? undefined : made.dueMs - NOW;
}

// upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestFilterNoExecuteTaints
test("only taints with NoExecute evict", () => {
  const others = ["NoSchedule", "PreferNoSchedule"].map((effect) => ({ key: "two", effect }));
  expect(evictingTaints([taint("one"), ...others])).toEqual([taint("one")]);
  expect(evictingTaints(undefined)).toEqual([]);
});

describe("the time for which a pod tolerates is the least of its matching tolerations", () => {
  // upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestGetMinTolerationTime
  test.each<[string, readonly Toleration[], readonly string[], number | undefined]>([
    ["without any it goes at once", [], ["a"], 0],
    ["for ever", [forSeconds("a")], ["a"], undefined],
    ["of two", [forSeconds("a", 1), forSeconds("b", 2)], ["a", "b"], 1_000],
    ["of one and one for ever", [forSeconds("a", 1), forSeconds("b")], ["a", "b"], 1_000],
    ["of one for ever and one", [forSeconds("a"), forSeconds("b", 1)], ["a", "b"], 1_000],
    ["of none where there are no taints", [], [], undefined],
    ["0 s is at once", [forSeconds("a", 0)], ["a"], 0],
    ["less than 0 s is at once", [forSeconds("a", -5)], ["a"], 0],
    ["the first that matches a taint counts", [forSeconds("a", 9), forSeconds("a", 1)], ["a"], 9_000],
    ["those of taints that are not there do not", [forSeconds("a", 9), forSeconds("b", 1)], ["a"], 9_000],
    ["one is missing", [forSeconds("a", 9)], ["a", "b"], 0],
  ])("%s", (_, tolerations, keys, expected) => {
    const made = plan(
      tolerations,
      keys.map((key) => since(key)),
    );
    expect(dueInMs(made)).toBe(expected);
  });

  test("longer than anybody lives is as good as for ever, and no number goes over", () => {
    for (const tolerationSeconds of [2 ** 31, 9_223_372_036_854_775_807n, 9_223_372_037]) {
      const made = plan([{ ...forSeconds("a"), tolerationSeconds }], [since("a", 86_400_000)]);
      expect(made.kind).toBe("later");
      expect(dueInMs(made)).toBeGreaterThan(2 ** 40);
    }
    const least = { ...forSeconds("a"), tolerationSeconds: -9_223_372_036_854_775_808n };
    expect(plan([least], [since("a", 1)]).kind).toBe("now");
  });
});

describe("the time counts", () => {
  test.each<[string, number, number, number]>([
    ["from the taint", 30_000, 60_000, 270_000],
    ["from when the pod came, where the taint was there before", 60_000, 30_000, 270_000],
    ["and is over when it is over", 300_000, 400_000, 0],
  ])("%s", (_, taintAgoMs, podAgoMs, expected) => {
    expect(dueInMs(plan([forSeconds("a", 300)], [since("a", taintAgoMs)], podAgoMs))).toBe(expected);
  });

  test("from each taint anew", () => {
    const tolerations = [forSeconds("old", 300), forSeconds("new", 10)];
    expect(dueInMs(plan(tolerations, [since("old", 280_000), since("new")], 400_000))).toBe(10_000);
    expect(dueInMs(plan(tolerations, [since("old", 295_000), since("new")], 400_000))).toBe(5_000);
  });
});

test("numbers are compared where the gate is on", () => {
  const question = {
    tolerations: [{ key: "sla", operator: "Gt", value: "750" }],
    taints: [{ taint: taint("sla", "950"), sinceMs: NOW }],
    podSinceMs: NOW,
    nowMs: NOW,
  };
  expect(planEviction(question).kind).toBe("now");
  expect(planEviction({ ...question, options: { comparisonOperators: true } }).kind).toBe("never");
});
