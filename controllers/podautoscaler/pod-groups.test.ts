import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CachedPod } from "./fields.ts";
import { groupPods, type PodGroups } from "./pod-groups.ts";
import type { PodMetric } from "./pod-metrics.ts";
import { NOW } from "./samples.test-data.ts";

const periods = { cpuInitializationPeriodMs: 120_000, initialReadinessDelayMs: 10_000 };

interface Told {
  readonly name: string;
  readonly phase?: string;
  /** Seconds ago. */
  readonly started?: number;
  readonly ready?: readonly [status: string, changedSecondsAgo?: number];
  readonly isDeleted?: boolean;
  /** Seconds ago, over so many seconds. */
  readonly measured?: readonly [ended: number, window: number];
}

function podOf({ name, phase = "Succeeded", started, ready, isDeleted }: Told): CachedPod {
  const ago = (seconds: number): string => formatTime(NOW - seconds * 1_000);
  return {
    metadata: { name, ...(isDeleted === true && { deletionTimestamp: ago(0) }) },
    status: {
      phase,
      ...(started !== undefined && { startTime: ago(started) }),
      ...(ready && {
        conditions: [
          {
            type: "Ready",
            status: ready[0],
            ...(ready[1] !== undefined && { lastTransitionTime: ago(ready[1]) }),
          },
        ],
      }),
    },
  };
}

function groupsOf(pods: readonly Told[], isCpu: boolean): PodGroups {
  const metrics = new Map<string, PodMetric>(
    pods.flatMap(({ name, measured }) =>
      measured === undefined
        ? []
        : [[name, { value: 1n, timeMs: NOW - measured[0] * 1_000, windowMs: measured[1] * 1_000 }]],
    ),
  );
  return inOneGo(groupPods(pods.map(podOf), { metrics, isCpu, periods, nowMs: NOW }));
}

const nobody = { ready: 0, unready: [], missing: [], ignored: [] };
const LONG_AGO = 1e9;

// upstream: pkg/controller/podautoscaler/replica_calculator_test.go#TestGroupPods
describe("pods are told apart", () => {
  test.each<[string, Told[], Partial<PodGroups>, "cpu" | "memory"]>([
    ["none", [], {}, "cpu"],
    ["one of which the memory is known", [{ name: "a", measured: [0, 60] }], { ready: 1 }, "memory"],
    [
      "one that does not say whether it is ready",
      [{ name: "a", started: 0, measured: [LONG_AGO, 0] }],
      { unready: ["a"] },
      "cpu",
    ],
    [
      "a new one, measured since it is ready",
      [{ name: "a", started: 60, ready: ["True", 30], measured: [0, 30] }],
      { ready: 1 },
      "cpu",
    ],
    [
      "a new one, measured from before it was ready",
      [{ name: "a", started: 60, ready: ["True", 30], measured: [0, 60] }],
      { unready: ["a"] },
      "cpu",
    ],
    [
      "one that became unready as it started",
      [{ name: "a", started: 600, ready: ["False", 594], measured: [LONG_AGO, 0] }],
      { unready: ["a"] },
      "cpu",
    ],
    [
      "an old one, measured a while ago",
      [{ name: "a", started: 180, ready: ["True", 180], measured: [120, 60] }],
      { ready: 1 },
      "cpu",
    ],
    [
      "an old one that was ready once",
      [{ name: "a", started: 600, ready: ["False", 540], measured: [LONG_AGO, 0] }],
      { ready: 1 },
      "cpu",
    ],
    [
      "one that became unready at the very end of its first time",
      [{ name: "a", started: 600, ready: ["False", 590], measured: [LONG_AGO, 0] }],
      { ready: 1 },
      "cpu",
    ],
    ["one that was not measured", [{ name: "a", started: 180 }], { missing: ["a"] }, "cpu"],
    [
      "several",
      [
        { name: "a", started: 0, measured: [LONG_AGO, 0] },
        { name: "b", started: 180, ready: ["True", 180], measured: [120, 60] },
        { name: "c", started: 180 },
      ],
      { unready: ["a"], ready: 1, missing: ["c"] },
      "cpu",
    ],
    ["one that waits for a node", [{ name: "a", phase: "Pending" }], { unready: ["a"] }, "cpu"],
    [
      "one that is about to go",
      [{ name: "a", phase: "Pending", isDeleted: true }],
      { ignored: ["a"] },
      "cpu",
    ],
    ["one that has failed", [{ name: "a", phase: "Failed" }], { ignored: ["a"] }, "cpu"],
  ])("%s", (_, pods, expected, resource) => {
    expect(groupsOf(pods, resource === "cpu")).toEqual({ ...nobody, ...expected });
  });

  test.each([
    ["within", 119, ["a"]],
    ["after", 120, []],
  ] as const)("%s its first time a pod is not ready for a moment", (_, started, unready) => {
    const pods: Told[] = [{ name: "a", started, ready: ["False", started - 60], measured: [0, 10] }];
    expect(groupsOf(pods, true).unready).toEqual(unready);
  });
});
