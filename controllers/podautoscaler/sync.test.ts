import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "../../pkg/api/json.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  HPAScalingRules,
  MetricSpec,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import type { FakeAnswer } from "../../test/harness/fake-transport.ts";
import { NOW, samplePod, type Start, usageList } from "./samples.test-data.ts";
import { type Answers, SyncBench } from "./sync-bench.test-data.ts";

interface Case {
  readonly test: string;
  readonly variant?: string;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly cpuTarget?: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly levels: readonly number[];
  readonly requests?: readonly string[];
  readonly readiness?: readonly string[];
  readonly starts?: readonly Start[];
  readonly phases?: readonly string[];
  readonly deleted?: readonly boolean[];
  readonly target?: { readonly name: string; readonly apiVersion: string; readonly kind: string };
  readonly past?: readonly (readonly [replicas: number, agoMs: number])[];
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
  readonly selector?: string;
  readonly otherSelector?: string;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly metricsFail?: boolean;
  readonly scaleFails?: boolean;
  readonly updateFails?: boolean;
  readonly updateConflicts?: number;
  readonly expected: {
    readonly replicas: number;
    readonly conditions: readonly (readonly [type: string, status: string, reason: string])[];
    readonly action: string;
    readonly error: string;
    readonly metrics: Readonly<Record<string, readonly [action: string, error: string]>>;
    readonly utilization?: number;
    readonly event?: boolean;
  };
}

const cases = JSON.parse(
  readFileSync(new URL("testdata/syncs.gen.json", import.meta.url), "utf8"),
) as readonly Case[];

const WRITTEN = {
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: { name: "test-hpa", namespace: "test-namespace", uid: "hpa", resourceVersion: "2" },
};
const BROKEN: FakeAnswer = { status: 500, body: status(500, "InternalError", "something went wrong") };

function status(code: number, reason: string, message: string): Json {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
}

function autoscalerOf(c: Case): HorizontalPodAutoscaler {
  const { name, kind, apiVersion } = c.target ?? {
    name: "test-rc",
    kind: "ReplicationController",
    apiVersion: "v1",
  };
  const ofCpu = { type: "Utilization", averageUtilization: c.cpuTarget ?? 0 };
  const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: ofCpu } };
  const metrics = [...(c.cpuTarget === undefined ? [] : [cpu]), ...(c.metrics ?? [])];
  // Without a target, as upstream's has it: the API server would fill one in.
  const none: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "" } } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "test-hpa", namespace: "test-namespace", uid: "hpa", resourceVersion: "1" },
    spec: {
      scaleTargetRef: { kind, name, apiVersion },
      minReplicas: c.minReplicas,
      maxReplicas: c.maxReplicas,
      metrics: metrics.length > 0 ? metrics : [none],
      ...(c.behavior && { behavior: withDefaults(c.behavior) }),
    },
    status: {
      currentReplicas: c.specReplicas,
      desiredReplicas: c.specReplicas,
      ...(c.conditions && { conditions: c.conditions }),
    },
  };
}

/** As the API server fills them in. */
function withDefaults({
  scaleUp,
  scaleDown,
}: HorizontalPodAutoscalerBehavior): HorizontalPodAutoscalerBehavior {
  const percent = { type: "Percent", value: 100, periodSeconds: 15 };
  const up: HPAScalingRules = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
    ...scaleUp,
  };
  return { scaleUp: up, scaleDown: { selectPolicy: "Max", policies: [percent], ...scaleDown } };
}

function podsOf(c: Case): readonly Pod[] {
  return Array.from({ length: c.requests?.length ?? c.statusReplicas }, (_, index) => {
    const cpu = Math.trunc(parseQuantity(c.requests?.[index] ?? "1").milliValue() / 2);
    return samplePod({
      name: `test-pod-${index}`,
      start: c.starts?.[index],
      ...(c.podLabels && { labels: c.podLabels }),
      ...(c.readiness?.[index] !== undefined && { readiness: c.readiness[index] }),
      ...(c.phases?.[index] !== undefined && { phase: c.phases[index] }),
      isDeleted: c.deleted?.[index] === true,
      requests: { cpu: `${cpu}m` },
      changesAtStart: true,
    });
  });
}

function answersOf(c: Case): Answers {
  let conflicts = c.updateConflicts ?? 0;
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "test-rc", namespace: "test-namespace", uid: "target", resourceVersion: "1" },
    spec: { replicas: c.specReplicas },
    status: { replicas: c.statusReplicas, selector: c.selector ?? "name=test-pod" },
  };
  return {
    scale: () => (c.scaleFails === true ? BROKEN : { body: scale }),
    updateScale: () => {
      if (conflicts-- > 0) return { status: 409, body: status(409, "Conflict", "simulated conflict") };
      return c.updateFails === true ? BROKEN : { body: scale };
    },
    updateStatus: () => ({ body: WRITTEN }),
    metrics: (path) => (isBroken(c, path) ? BROKEN : { body: { items: metricsOf(c, path) } }),
  };
}

/** Of some cases nothing, or nothing from outside, can be had. */
function isBroken({ test: name, metricsFail }: Case, path: string): boolean {
  return metricsFail === true || (name.includes("OneMetricEmpty") && path.includes("external"));
}

function metricsOf({ levels }: Case, path: string): readonly Json[] {
  if (path.startsWith("/apis/metrics.k8s.io/")) {
    const pods = levels.map((level, index) => ({
      name: `test-pod-${index}`,
      levels: [Math.trunc(level / 2), Math.trunc(level / 2)],
    }));
    return usageList({ resource: "cpu", pods, timeMs: NOW });
  }
  const values = levels.map((level, index) => ({
    describedObject: { kind: "Pod", name: `test-pod-${index}`, namespace: "test-namespace" },
    metric: { name: "qps" },
    timestamp: formatTime(NOW),
    value: `${level}m`,
  }));
  // Of one object there is one value.
  return path.includes("/pods/*/") || path.includes("external") ? values : values.slice(0, 1);
}

function benchOf(c: Case): { bench: SyncBench; exposed: () => Promise<string> } {
  const { main: metrics } = createMetrics({ version: "1.36.4" });
  const bench = new SyncBench({
    autoscaler: autoscalerOf(c),
    pods: podsOf(c),
    answers: answersOf(c),
    ...(c.gates && { features: c.gates }),
    metrics,
    nowMs: NOW,
  });
  const { past, selectors, autoscalers } = bench.context;
  const autoscaler = autoscalers.lister.get("test-namespace", "test-hpa") ?? expect.fail("no autoscaler");
  const nowMs = bench.clock.monotonicMs();
  if (c.past !== undefined) {
    const recommendations = c.past.map(([replicas, agoMs]) => ({ replicas, timeMs: nowMs + agoMs }));
    past.set(autoscaler, { recommendations, up: [], down: [] });
  }
  if (c.otherSelector !== undefined) {
    const other = { metadata: { namespace: "test-namespace", name: "test-hpa-2", uid: "other" } };
    selectors.put(other, parseLabelSelector(c.otherSelector));
  }
  return { bench, exposed: async () => metrics.expose() };
}

// upstream: pkg/controller/podautoscaler/horizontal_test.go, all cases of testCase
describe("a sync", () => {
  test.each(cases.map((c) => [[c.test, c.variant, JSON.stringify(c.gates)].join(" "), c] as const))(
    "%s",
    async (_, c) => {
      const { expected } = c;
      const { bench, exposed } = benchOf(c);
      const told = await bench.sync();
      const conditions = told.status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]);
      expect(conditions).toEqual(expected.conditions);
      const isRescaled = expected.replicas !== c.specReplicas;
      // What could not be written, or only the second time, was written all the same.
      expect(told.scales.at(-1) ?? c.specReplicas).toBe(c.updateFails === true ? 5 : expected.replicas);
      expect(told.status?.desiredReplicas).toBe(expected.replicas);
      expect(told.events.filter((each) => each.includes("SuccessfulRescale")).length).toBe(
        Number(isRescaled),
      );
      if (expected.event === true && isRescaled)
        expect(told.events).toEqual([
          `Normal SuccessfulRescale New size: ${expected.replicas}; reason: cpu resource utilization (percentage of request) above target`,
        ]);
      if (expected.utilization !== undefined)
        expect(told.status?.currentMetrics?.[0]?.resource?.current.averageUtilization).toBe(
          expected.utilization,
        );
      if (c.expected.error === "none") expect(told.error).toBeUndefined();
      const text = await exposed();
      const prefix = "horizontal_pod_autoscaler_controller_";
      const labels = `action="${expected.action}",error="${expected.error}"`;
      expect(text).toContain(`${prefix}reconciliations_total{${labels}} 1`);
      expect(text).toContain(`${prefix}reconciliation_duration_seconds_count{${labels}} 1`);
      for (const [type, [action, error]] of Object.entries(expected.metrics)) {
        const of = `{action="${action}",error="${error}",metric_type="${type}"}`;
        expect(text).toContain(`${prefix}metric_computation_total${of} 1`);
        expect(text).toContain(`${prefix}metric_computation_duration_seconds_count${of} 1`);
      }
      if (Object.keys(expected.metrics).length === 0) expect(text).not.toContain("metric_computation_total{");
      if (expected.error === "none")
        expect(text).toContain(
          `${prefix}desired_replicas{hpa_name="test-hpa",namespace="test-namespace"} ${expected.replicas}`,
        );
    },
  );
});

// upstream: #TestAvoidUnnecessaryUpdates
test("at rest nothing is written", async () => {
  const quiet = cases.find((c) => c.test === "TestTolerance") ?? expect.fail("no such case");
  const { bench } = benchOf(quiet);
  expect((await bench.sync()).status).toBeDefined();
  const again = await bench.sync();
  expect([again.status, again.scales, again.events, again.error]).toEqual([undefined, [], [], undefined]);
});

// upstream: #TestStoreScaleEvents, its cases without behavior
test.each([
  ["without rules nothing", undefined, []],
  ["with rules what was added", {}, [2]],
] as const)("%s is kept of what was scaled", async (_, behavior, expected) => {
  const scaled = cases.find((c) => c.test === "TestScaleUp") ?? expect.fail("no such case");
  const { bench } = benchOf({ ...scaled, ...(behavior && { behavior }) });
  expect((await bench.sync()).scales).toEqual([5]);
  const { past, autoscalers } = bench.context;
  const autoscaler = autoscalers.lister.get("test-namespace", "test-hpa") ?? expect.fail("no autoscaler");
  expect(past.get(autoscaler)?.up.map(({ change }) => change)).toEqual(expected);
  expect(past.get(autoscaler)?.down).toEqual([]);
});

test("what failed is the cause of the sync's failure", async () => {
  const failing = cases.find((c) => c.variant === "FailedGetResourceMetric") ?? expect.fail("no such case");
  const { error } = await benchOf(failing).bench.sync();
  const causes: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) causes.push(each.name);
  expect(causes).toEqual(["AutoscalerError", "AutoscalerError", "MetricsError", "MetricsError", "ApiError"]);
});
