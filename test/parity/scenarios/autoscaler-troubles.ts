import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Scenario, Step } from "../scenario.ts";
import {
  autoscaler,
  change,
  cpu,
  cpuOf,
  downAtOnce,
  external,
  holds,
  main,
  measure,
  ofFront,
  perPod,
  running,
  says,
  scaledTo,
  stays,
  wants,
} from "./autoscaler-objects.ts";
import { create, deployment, gated, LABELS, template } from "./objects.ts";

export const withTroubles: readonly Scenario[] = [
  {
    name: "autoscaler-before-anything-is-measured",
    steps: [
      ...running(2),
      create(autoscaler()),
      says("ScalingActive", "FailedGetResourceMetric"),
      stays(2, 2_000),
      cpuOf(200),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-while-metrics-are-away",
    steps: [
      ...running(3),
      cpuOf(150),
      create(autoscaler({ behavior: downAtOnce })),
      says("ScalingActive", "ValidMetricFound"),
      measure({ outage: 503 }),
      says("ScalingActive", "FailedGetResourceMetric"),
      stays(3, 3_000),
      cpuOf(100),
      ...scaledTo(2),
    ],
  },
  {
    name: "autoscaler-of-pods-that-nobody-measures",
    steps: [
      ...running(4),
      measure({ cpu: { main: 80 }, unmeasured: 2 }),
      create(autoscaler({ behavior: downAtOnce })),
      says("ScalingActive", "ValidMetricFound"),
      stays(4, 3_000),
      cpuOf(80),
      ...scaledTo(2),
    ],
  },
  {
    name: "autoscaler-of-pods-that-are-not-ready",
    steps: [
      create(deployment(3, { template: template("app:v1", { containers: [main], ...gated }) })),
      { do: "until pods", pods: {}, are: 3 },
      holdsPods(3),
      cpuOf(300),
      create(autoscaler()),
      says("ScalingActive", "FailedGetResourceMetric"),
      { do: "let pods be ready", pods: { count: 1 } },
      says("ScalingActive", "ValidMetricFound"),
      stays(3, 2_000),
      { do: "let pods be ready", pods: { ready: false } },
      wants(6),
      { do: "until pods", pods: {}, are: 6 },
      holdsPods(6),
      stays(6, 2_000),
    ],
  },
  {
    name: "autoscaler-of-pods-without-requests",
    steps: [
      // Of several, which of them is told of is chance.
      ...running(1, [{ name: "main", image: "app:v1" }]),
      cpuOf(200),
      create(autoscaler()),
      says("ScalingActive", "FailedGetResourceMetric"),
    ],
  },
  {
    name: "autoscaler-of-a-container-that-is-not-there",
    steps: [
      ...running(1),
      cpuOf(200),
      create(
        autoscaler({
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "side",
                target: { type: "Utilization", averageUtilization: 50 },
              },
            },
          ],
        }),
      ),
      says("ScalingActive", "FailedGetContainerResourceMetric"),
    ],
  },
  {
    name: "autoscaler-by-metrics-that-nobody-has",
    steps: [
      ...running(1),
      create(autoscaler({ metrics: [external(perPod("2"))] })),
      says("ScalingActive", "FailedGetExternalMetric"),
      change({ metrics: [ofFront(perPod("2"))] }),
      says("ScalingActive", "FailedGetObjectMetric"),
      change({ metrics: [{ type: "Pods", pods: { metric: { name: "qps" }, target: perPod("2") } }] }),
      says("ScalingActive", "FailedGetPodsMetric"),
    ],
  },
  {
    name: "autoscaler-by-a-metric-of-an-unknown-kind",
    steps: [
      ...running(1),
      create(autoscaler({ metrics: [ofFront(perPod("2"), "Sevrice")] })),
      says("ScalingActive", "FailedGetObjectMetric"),
    ],
  },
  {
    name: "autoscaler-adds-pods-though-one-metric-is-missing",
    steps: [
      ...running(2),
      cpuOf(200),
      create(autoscaler({ metrics: [external(perPod("2")), cpu] })),
      ...scaledTo(4),
      holds({ "status.currentMetrics[Resource].resource.current.averageUtilization": 50 }),
    ],
  },
  {
    name: "autoscaler-removes-nothing-while-one-metric-is-missing",
    steps: [
      ...running(3),
      cpuOf(50),
      create(autoscaler({ behavior: downAtOnce, metrics: [cpu, external(perPod("2"))] })),
      says("ScalingActive", "FailedGetExternalMetric"),
      stays(3, 3_000),
      measure({ cpu: { main: 50 }, external: { queue: [4_000] } }),
      ...scaledTo(2),
    ],
  },
  {
    name: "autoscaler-before-its-target",
    steps: [
      cpuOf(50),
      create(autoscaler()),
      says("AbleToScale", "FailedGetScale"),
      ...running(1),
      wants(1),
      cpuOf(100),
      ...scaledTo(2),
    ],
  },
  {
    name: "autoscaler-of-an-unknown-kind",
    steps: [
      create(autoscaler({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deploymnet", name: "web" } })),
      says("AbleToScale", "FailedGetScale"),
    ],
  },
  {
    name: "autoscaler-of-what-has-no-scale",
    steps: [
      create({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "web" },
        spec: { selector: { matchLabels: LABELS }, template: template("app:v1") },
      } as ApiObject),
      create(autoscaler({ scaleTargetRef: { apiVersion: "apps/v1", kind: "DaemonSet", name: "web" } })),
      says("AbleToScale", "FailedGetScale"),
    ],
  },
  {
    name: "autoscalers-of-the-same-pods",
    steps: [
      ...running(2),
      cpuOf(100),
      create(autoscaler()),
      says("ScalingActive", "ValidMetricFound"),
      create(autoscaler({}, "again")),
      says("ScalingActive", "AmbiguousSelector"),
      cpuOf(200),
      stays(2, 3_000),
      { do: "delete", target: "horizontalPodAutoscalers/again" },
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-of-a-replication-controller",
    steps: [
      create({
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata: { name: "web" },
        spec: { replicas: 1, selector: LABELS, template: template("app:v1", { containers: [main] }) },
      } as ApiObject),
      { do: "until", target: "replicationControllers/web", holds: { "status.availableReplicas": 1 } },
      cpuOf(150),
      create(
        autoscaler({ scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "web" } }),
      ),
      wants(3),
      { do: "until", target: "replicationControllers/web", holds: { "status.availableReplicas": 3 } },
    ],
  },
  {
    name: "autoscaler-after-a-restart-in-its-window",
    alone: true,
    steps: [
      ...running(3),
      cpuOf(150),
      create(autoscaler()),
      wants(3),
      cpuOf(50),
      stays(3, 3_000),
      { do: "restart manager" },
      // What there is counts as the first recommendation of the new one.
      says("AbleToScale", "ScaleDownStabilized"),
      stays(3, 12_000),
      ...scaledTo(1),
    ],
  },
];

/** Pods run, ready or not. */
function holdsPods(replicas: number): Step {
  return { do: "until", target: "deployments/web", holds: { "status.replicas": replicas } };
}
