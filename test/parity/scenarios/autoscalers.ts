import type { ApiObject } from "../../../pkg/api/object.ts";
import { inArea, type Scenario } from "../scenario.ts";
import {
  autoscaler,
  byOnePod,
  change,
  complete,
  cpu,
  cpuOf,
  downAtOnce,
  external,
  main,
  measure,
  ofDeployment,
  ofFront,
  perPod,
  running,
  says,
  scaledTo,
  stays,
  wants,
} from "./autoscaler-objects.ts";
import { withTroubles } from "./autoscaler-troubles.ts";
import { create, scale } from "./objects.ts";

const byTheirMetrics: readonly Scenario[] = [
  {
    name: "autoscaler-adds-pods-by-utilization",
    steps: [...running(2), cpuOf(200), create(autoscaler()), ...scaledTo(4), stays(4, 3_000)],
  },
  {
    name: "autoscaler-of-a-container",
    steps: [
      ...running(2, [main, { ...main, name: "side" }]),
      measure({ cpu: { main: 200, side: 1_000 } }),
      create(
        autoscaler({
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "main",
                target: { type: "Utilization", averageUtilization: 50 },
              },
            },
          ],
        }),
      ),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-raw-usage",
    steps: [
      ...running(2),
      cpuOf(200),
      create(
        autoscaler({ metrics: [{ type: "Resource", resource: { name: "cpu", target: perPod("50m") } }] }),
      ),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-a-metric-of-pods",
    steps: [
      ...running(2),
      measure({ custom: { "pods/qps": 40_000 } }),
      create(
        autoscaler({ metrics: [{ type: "Pods", pods: { metric: { name: "qps" }, target: perPod("10") } }] }),
      ),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-a-metric-of-an-object",
    steps: [
      ...running(2),
      measure({ custom: { "services/front/qps": 20_000 } }),
      create(autoscaler({ maxReplicas: 4, metrics: [ofFront({ type: "Value", value: "10" })] })),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-a-metric-of-an-object-per-pod",
    steps: [
      ...running(1),
      measure({ custom: { "services/front/qps": 35_500 } }),
      create(autoscaler({ metrics: [ofFront(perPod("10"))] })),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-something-outside",
    steps: [
      ...running(2),
      measure({ external: { queue: [3_000, 3_000] } }),
      create(autoscaler({ maxReplicas: 4, metrics: [external({ type: "Value", value: "2" })] })),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-by-something-outside-per-pod",
    steps: [
      ...running(1),
      measure({ external: { queue: [3_000, 3_000] } }),
      create(autoscaler({ metrics: [external(perPod("2"))] })),
      ...scaledTo(3),
    ],
  },
  {
    name: "autoscaler-of-autoscaling-v1",
    steps: [
      ...running(2),
      measure({ cpu: { main: 200 }, external: { queue: [3_000] } }),
      create({
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        metadata: {
          name: "web",
          annotations: {
            "autoscaling.alpha.kubernetes.io/metrics": JSON.stringify([
              { type: "External", external: { metricName: "queue", targetAverageValue: "1" } },
            ]),
            "autoscaling.alpha.kubernetes.io/behavior": JSON.stringify({
              ScaleUp: {
                StabilizationWindowSeconds: 0,
                SelectPolicy: "Max",
                Policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 3 }],
              },
            }),
          },
        },
        spec: { scaleTargetRef: ofDeployment, maxReplicas: 4, targetCPUUtilizationPercentage: 50 },
      } as ApiObject),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-of-two-metrics",
    steps: [
      ...running(1),
      measure({ cpu: { main: 100 }, external: { queue: [6_000] } }),
      create(autoscaler({ metrics: [cpu, external(perPod("2"))] })),
      ...scaledTo(3),
    ],
  },
];

const inTime: readonly Scenario[] = [
  {
    name: "autoscaler-adds-no-more-than-double",
    steps: [...running(1), cpuOf(450), create(autoscaler({ maxReplicas: 9 })), ...scaledTo(9)],
  },
  {
    name: "autoscaler-removes-pods-after-the-window",
    steps: [
      ...running(4),
      cpuOf(200),
      create(autoscaler()),
      wants(4),
      cpuOf(50),
      stays(4, 12_000),
      ...scaledTo(1),
    ],
  },
  {
    name: "autoscaler-removes-pods-after-its-own-window",
    steps: [
      ...running(3),
      cpuOf(150),
      create(autoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 30 } } })),
      wants(3),
      cpuOf(50),
      stays(3, 22_000),
      ...scaledTo(1),
    ],
  },
  {
    name: "autoscaler-load-that-comes-back-within-the-window",
    steps: [
      ...running(3),
      cpuOf(150),
      create(autoscaler()),
      wants(3),
      cpuOf(50),
      stays(3, 4_000),
      cpuOf(150),
      stays(3, 25_000),
      says("AbleToScale", "ReadyForNewScale"),
    ],
  },
  {
    name: "autoscaler-adds-pods-after-its-window",
    steps: [
      ...running(1),
      cpuOf(50),
      create(autoscaler({ behavior: { scaleUp: { stabilizationWindowSeconds: 20 } } })),
      wants(1),
      cpuOf(150),
      stays(1, 12_000),
      ...scaledTo(3),
    ],
  },
  {
    name: "autoscaler-adds-one-pod-at-a-time",
    steps: [
      ...running(1),
      cpuOf(200),
      create(autoscaler({ behavior: { scaleUp: byOnePod(20) } })),
      wants(2),
      stays(2, 5_000),
      wants(3),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-removes-one-pod-at-a-time",
    steps: [
      ...running(4),
      cpuOf(50),
      create(autoscaler({ behavior: { scaleDown: byOnePod(20) } })),
      wants(3),
      stays(3, 5_000),
      wants(2),
      ...scaledTo(1),
    ],
  },
  {
    name: "autoscaler-removes-half-at-a-time",
    steps: [
      ...running(5),
      cpuOf(50),
      create(
        autoscaler({
          behavior: {
            scaleDown: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Min",
              policies: [
                { type: "Percent", value: 50, periodSeconds: 20 },
                { type: "Pods", value: 4, periodSeconds: 20 },
              ],
            },
          },
        }),
      ),
      ...scaledTo(1),
    ],
  },
  {
    name: "autoscaler-that-removes-nothing",
    steps: [
      ...running(3),
      cpuOf(50),
      create(
        autoscaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Disabled" } } }),
      ),
      says("ScalingLimited", "ScaleDownLimit"),
      stays(3, 3_000),
    ],
  },
  {
    name: "autoscaler-of-another-tolerance",
    steps: [
      ...running(2),
      cpuOf(140),
      create(autoscaler({ behavior: { scaleUp: { stabilizationWindowSeconds: 0, tolerance: "500m" } } })),
      wants(2),
      stays(2, 3_000),
      cpuOf(200),
      ...scaledTo(4),
    ],
  },
];

const withinItsRange: readonly Scenario[] = [
  {
    name: "autoscaler-at-its-maximum",
    steps: [
      ...running(1),
      cpuOf(1_000),
      create(autoscaler({ maxReplicas: 2 })),
      ...scaledTo(2),
      says("ScalingLimited", "TooManyReplicas"),
      change({ maxReplicas: 4 }),
      ...scaledTo(4),
    ],
  },
  {
    name: "autoscaler-at-its-minimum",
    steps: [
      ...running(3),
      cpuOf(10),
      create(autoscaler({ minReplicas: 2, behavior: downAtOnce })),
      ...scaledTo(2),
      says("ScalingLimited", "TooFewReplicas"),
    ],
  },
  {
    name: "autoscaler-of-too-few",
    steps: [...running(1), create(autoscaler({ minReplicas: 3 })), complete(3), wants(3)],
  },
  {
    name: "autoscaler-of-too-many",
    steps: [...running(4), create(autoscaler({ maxReplicas: 2 })), complete(2), wants(2)],
  },
  {
    name: "autoscaler-of-nothing-and-back",
    steps: [
      ...running(1),
      cpuOf(150),
      create(autoscaler({ maxReplicas: 3 })),
      ...scaledTo(3),
      scale(0),
      says("ScalingActive", "ScalingDisabled"),
      stays(0, 3_000),
      scale(1),
      ...scaledTo(3),
    ],
  },
];

export const autoscalers: readonly Scenario[] = inArea("autoscaling", [
  ...byTheirMetrics,
  ...inTime,
  ...withinItsRange,
  ...withTroubles,
]);
