import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HPAScalingRules } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { limitByRange, limitByRules, scaleDownLimit, scaleUpLimit } from "./limits.ts";
import { changeInPeriod, type ScaleEvent, type ScaleEvents, withScaleEvent } from "./scale-events.ts";

const NOW = 10_000_000;
const NONE = { up: [], down: [] };

// upstream: pkg/controller/podautoscaler/horizontal_test.go#TestConvertDesiredReplicasWithRules
describe("without rules", () => {
  test.each([
    ["in the range", [5, 7, 3, 8], 7, "DesiredWithinRange"],
    ["below the minimum", [3, 1, 2, 8], 2, "TooFewReplicas"],
    ["nothing, where that is allowed", [1, 0, 0, 10], 0, "DesiredWithinRange"],
    ["above the maximum", [20, 1000, 1, 10], 10, "TooManyReplicas"],
    ["more than twice as many", [3, 1000, 1, 2000], 6, "ScaleUpLimit"],
    ["four at least", [1, 1000, 1, 2000], 4, "ScaleUpLimit"],
    ["as many as go into 32 bits", [2 ** 30, 2 ** 31 - 1, 1, 2 ** 31 - 1], -(2 ** 31), "ScaleUpLimit"],
  ] as const)("%s", (_, [current, wanted, minimum, maximum], replicas, reason) => {
    const limited = limitByRange({ current, wanted, minimum, maximum });
    expect([limited.replicas, limited.reason]).toEqual([replicas, reason]);
  });
});

// upstream: #TestCalculateScaleUpLimitWithScalingRules, #TestCalculateScaleDownLimitWithBehaviors
describe("the policy that changes least", () => {
  const rules: HPAScalingRules = {
    stabilizationWindowSeconds: 300,
    selectPolicy: "Min",
    policies: [
      { type: "Pods", value: 2, periodSeconds: 60 },
      { type: "Percent", value: 50, periodSeconds: 60 },
    ],
  };

  test("adds the fewest", () => expect(scaleUpLimit(1, rules, NONE, NOW)).toBe(2));
  test("takes the fewest away", () => expect(scaleDownLimit(5, rules, NONE, NOW)).toBe(3));
});

test("without a policy that applies numbers are those of the last resort", () => {
  expect(scaleUpLimit(5, { selectPolicy: "Max" }, NONE, NOW)).toBe(-(2 ** 31));
  expect(scaleDownLimit(5, { selectPolicy: "Max" }, NONE, NOW)).toBe(2 ** 31 - 1);
});

type Change = readonly [change: number, agoMs: number];
interface Case {
  readonly name: string;
  readonly current: number;
  readonly wanted: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly up?: HPAScalingRules;
  readonly down?: HPAScalingRules;
  readonly upEvents?: readonly Change[];
  readonly downEvents?: readonly Change[];
  readonly expected: readonly [replicas: number, reason: string];
}

const cases = JSON.parse(
  readFileSync(new URL("testdata/rules.gen.json", import.meta.url), "utf8"),
) as readonly Case[];
const percent = { type: "Percent", value: 100, periodSeconds: 15 };
const UP: HPAScalingRules = {
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
};
const DOWN: HPAScalingRules = { selectPolicy: "Max", policies: [percent] };

function eventsOf(changes: readonly Change[] = []): ScaleEvents {
  return changes.map(([change, agoMs]) => ({ change, timeMs: NOW + agoMs, outdated: false }));
}

// upstream: #TestScalingWithRules
describe("by rules", () => {
  test.each(cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const history = { up: eventsOf(c.upEvents), down: eventsOf(c.downEvents) };
    const rules = { scaleUp: { ...UP, ...c.up }, scaleDown: { ...DOWN, ...c.down } };
    const limited = limitByRules(c, rules, history, NOW);
    expect([limited.replicas, limited.reason]).toEqual(c.expected);
  });

  test("where the range and the rules end at one number, the range is told", () => {
    const many = limitByRules(
      { current: 1, wanted: 9, minimum: 1, maximum: 5 },
      { scaleUp: UP, scaleDown: DOWN },
      NONE,
      NOW,
    );
    expect([many.replicas, many.reason]).toEqual([5, "TooManyReplicas"]);
    const half: HPAScalingRules = { selectPolicy: "Max", policies: [{ ...percent, value: 50 }] };
    const few = limitByRules(
      { current: 4, wanted: 1, minimum: 2, maximum: 5 },
      { scaleUp: UP, scaleDown: half },
      NONE,
      NOW,
    );
    expect([few.replicas, few.reason]).toEqual([2, "TooFewReplicas"]);
  });
});

function rulesOf(pods: number, podsPeriod: number, share: number, sharePeriod: number): HPAScalingRules {
  return {
    policies: [
      { type: "Pods", value: pods, periodSeconds: podsPeriod },
      ...(share > 0 ? [{ type: "Percent", value: share, periodSeconds: sharePeriod }] : []),
    ],
  };
}

// upstream: #TestStoreScaleEvents. Without rules nothing is kept, which sync.test.ts shows.
describe("what was changed is kept", () => {
  test.for<[string, readonly Change[], HPAScalingRules, number, readonly [number, boolean][]]>([
    ["where there is nothing yet", [], rulesOf(10, 60, 100, 60), 0, [[5, false]]],
    ["in place of what no rule looks at", [[7, -61_000]], rulesOf(10, 60, 100, 60), 0, [[5, false]]],
    [
      "beside what a rule looks at",
      [[7, -58_000]],
      rulesOf(10, 60, 100, 60),
      7,
      [
        [7, false],
        [5, false],
      ],
    ],
    [
      "in the place of the older one of two",
      [
        [7, -61_000],
        [6, -59_000],
      ],
      rulesOf(10, 60, 0, 0),
      6,
      [
        [5, false],
        [6, false],
      ],
    ],
    [
      "in the place of the last of several",
      [
        [8, -29_000],
        [6, -59_000],
        [7, -61_000],
        [9, -61_000],
      ],
      rulesOf(10, 60, 100, 30),
      14,
      [
        [8, false],
        [6, false],
        [7, true],
        [5, false],
      ],
    ],
    [
      "beside two that rules look at",
      [
        [7, -58_000],
        [6, -59_000],
      ],
      rulesOf(10, 120, 100, 30),
      13,
      [
        [7, false],
        [6, false],
        [5, false],
      ],
    ],
  ])("%s", ([, before, rules, inPeriod, after]) => {
    const events = eventsOf(before);
    expect(changeInPeriod(events, 60, NOW)).toBe(inPeriod);
    const kept: readonly ScaleEvent[] = withScaleEvent(events, 5, rules, NOW);
    expect(kept.map(({ change, outdated }) => [change, outdated])).toEqual(after);
  });
});
