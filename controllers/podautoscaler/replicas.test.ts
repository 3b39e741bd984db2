import { readFileSync } from "node:fs";
import { inOneGo } from "../../pkg/api/steps.ts";
import { describe, expect, test } from "vitest";
import type { CachedPod } from "./fields.ts";
import { usageOfContainers, usageOfPods, UNSET_MS, type PodMetrics } from "./pod-metrics.ts";
import { requestsOf } from "./pod-requests.ts";
import {
  averageOf,
  isProblem,
  type PodView,
  type Problem,
  type Proposal,
  replicasForAverage,
  replicasForExternalPerPod,
  replicasForObjectPerPod,
  replicasForUtilization,
  replicasForValue,
  sumOfExternal,
  sumOfExternalPerPod,
  utilizationOf,
} from "./replicas.ts";
import { NOW, samplePod, type Start, usageList } from "./samples.test-data.ts";

interface Case {
  readonly test: string;
  readonly currentReplicas: number;
  readonly expectedReplicas?: number;
  readonly expectedError?: string;
  readonly tolerances?: { readonly down: number; readonly up: number };
  readonly container?: string;
  readonly podReadiness?: readonly string[];
  readonly podStartTime?: readonly Start[];
  readonly podPhase?: readonly string[];
  readonly podDeletionTimestamp?: readonly boolean[];
  readonly resource?: {
    readonly name: string;
    readonly requests: readonly string[];
    readonly levels: readonly (readonly number[])[];
    readonly podNames?: readonly string[];
    readonly targetUtilization: number;
    readonly expectedUtilization?: number;
    readonly expectedValue?: number;
  };
  readonly metric?: {
    readonly metricType: "object" | "objectPerPod" | "external" | "externalPerPod" | "pods";
    readonly levels: readonly string[];
    readonly targetUsage?: string;
    readonly perPodTargetUsage?: string;
    readonly expectedUsage: string;
  };
}

const cases = JSON.parse(
  readFileSync(new URL("testdata/replicas.gen.json", import.meta.url), "utf8"),
) as readonly Case[];

const periods = { cpuInitializationPeriodMs: 120_000, initialReadinessDelayMs: 10_000 };

function podsOf(c: Case): readonly CachedPod[] {
  const count = Math.max(c.currentReplicas, c.podPhase?.length ?? 0);
  return Array.from({ length: count }, (_, index) => {
    const request = c.resource?.requests[index];
    return samplePod({
      name: `test-pod-${index}`,
      start: c.podStartTime?.[index],
      ...(c.podReadiness?.[index] !== undefined && { readiness: c.podReadiness[index] }),
      ...(c.podPhase?.[index] !== undefined && { phase: c.podPhase[index] }),
      isDeleted: c.podDeletionTimestamp?.[index] === true,
      ...(request !== undefined && { requests: { [c.resource?.name ?? ""]: request } }),
    });
  });
}

function viewOf(c: Case, metrics: PodMetrics): PodView {
  const { currentReplicas, tolerances = { down: 0.1, up: 0.1 } } = c;
  return { pods: podsOf(c), metrics, currentReplicas, tolerances, periods, nowMs: NOW };
}

function ofResource(c: Case, { name, levels, podNames, targetUtilization }: NonNullable<Case["resource"]>) {
  const pods = levels.map((each, index) => ({
    name: podNames?.[index] ?? `test-pod-${index}`,
    levels: each,
  }));
  const list = usageList({ resource: name, pods, timeMs: UNSET_MS });
  // An empty list is the fault of the API, and does not come this far.
  if (list.length === 0) return { problem: "no metrics returned from resource metrics API" };
  const { container } = c;
  const metrics =
    container === undefined
      ? inOneGo(usageOfPods(list, name))
      : inOneGo(usageOfContainers(list, name, container));
  const view = viewOf(c, metrics);
  return inOneGo(
    replicasForUtilization(view, name, targetUtilization, () =>
      requestsOf(view.pods, { resource: name, container, podLevelResources: true }),
    ),
  );
}

function ofMetric(c: Case, metric: NonNullable<Case["metric"]>): Proposal | Problem {
  const levels = metric.levels.map(BigInt);
  const [level = 0n] = levels;
  const target = BigInt(metric.targetUsage ?? metric.perPodTargetUsage ?? "0");
  const values = new Map(
    levels.map((value, index) => [`test-pod-${index}`, { value, timeMs: UNSET_MS, windowMs: 60_000 }]),
  );
  const view = viewOf(c, values);
  const { tolerances, currentReplicas: statusReplicas } = view;
  switch (metric.metricType) {
    case "pods":
      return inOneGo(replicasForAverage(view, false, target));
    case "object":
      return replicasForValue(view, level, target);
    case "objectPerPod":
      return replicasForObjectPerPod({ usage: level, target, statusReplicas, tolerances });
    case "external":
      return replicasForValue(view, sumOfExternal(levels), target);
    case "externalPerPod":
    default: {
      const usage = sumOfExternalPerPod(levels);
      return replicasForExternalPerPod({ usage, target, statusReplicas, tolerances });
    }
  }
}

// upstream: pkg/controller/podautoscaler/replica_calculator_test.go, all cases of replicaCalcTestCase
describe("the replicas that a metric asks for", () => {
  test.each(cases.map((c, index) => [`${c.test} (${index})`, c] as const))("%s", (_, c) => {
    const { resource, metric } = c;
    const result =
      resource === undefined ? ofMetric(c, metric ?? expect.fail("of nothing")) : ofResource(c, resource);
    if (isProblem(result)) {
      expect(c.expectedError).toBeDefined();
      return expect(`unable to get metrics for resource cpu: ${result.problem}`).toContain(c.expectedError);
    }
    expect(result.replicas).toBe(c.expectedReplicas);
    if (resource === undefined) return expect(result.usage).toBe(BigInt(metric?.expectedUsage ?? 0));
    expect(result.utilization).toBe(resource.expectedUtilization);
    expect(result.usage).toBe(BigInt(resource.expectedValue ?? 0));
  });
});

function metricsOf(values: Readonly<Record<string, bigint>>): PodMetrics {
  return new Map(Object.entries(values).map(([name, value]) => [name, { value, timeMs: 0, windowMs: 0 }]));
}

// upstream: pkg/controller/podautoscaler/metrics/utilization_test.go
describe("the ratio of what is used to what is asked for", () => {
  const metrics = metricsOf({ a: 50n, b: 76n });
  const asked = { a: 100n, b: 100n };
  const expected = { ratio: 1.26, utilization: 63, usage: 63n };

  test.each([
    ["of all pods", metrics, asked, expected],
    ["does not count pods that ask for nothing", metricsOf({ a: 50n, b: 76n, other: 100n }), asked, expected],
    ["does not count pods of which nothing is known", metrics, { ...asked, other: 500n }, expected],
    ["is none where nobody asks", metrics, {}, { problem: "no metrics returned matched known pods" }],
  ] as const)("%s", (_, used, requests, result) => {
    expect(utilizationOf(used, new Map(Object.entries(requests)), 50)).toEqual(result);
  });

  test("of averages", () => {
    expect(averageOf(metricsOf({ a: 5000n, b: 10_000n }), 10_000n)).toEqual({ ratio: 0.75, usage: 7500n });
  });
});
