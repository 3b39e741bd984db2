import type { ApiObject } from "../../../pkg/api/object.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricTarget,
} from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import type { Container } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Load } from "../../harness/load-metrics.ts";
import type { Expected, Step } from "../scenario.ts";
import { create, deployment, template } from "./objects.ts";

const TARGET = "horizontalPodAutoscalers/web";
export const main: Container = {
  name: "main",
  image: "app:v1",
  resources: { requests: { cpu: "100m" } },
};

export const ofDeployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

export const cpu: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

export const external = (target: MetricTarget): MetricSpec => ({
  type: "External",
  external: { metric: { name: "queue" }, target },
});
export const perPod = (averageValue: string): MetricTarget => ({ type: "AverageValue", averageValue });

export function autoscaler(
  spec: Partial<HorizontalPodAutoscalerSpec> = {},
  name = "web",
): HorizontalPodAutoscaler & ApiObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: { scaleTargetRef: ofDeployment, minReplicas: 1, maxReplicas: 10, metrics: [cpu], ...spec },
  };
}

/** So many pods, which run. Each asks for a tenth of a core. */
export function running(replicas: number, containers: readonly Container[] = [main]): readonly Step[] {
  return [create(deployment(replicas, { template: template("app:v1", { containers }) })), complete(replicas)];
}

export const complete = (replicas: number): Step => ({
  do: "until",
  target: "deployments/web",
  holds: { "status.availableReplicas": replicas, "status.replicas": replicas },
});

/** Thousandths of a core that all pods together use. */
export const cpuOf = (milli: number): Step => measure({ cpu: { main: milli } });
export const measure = (load: Load): Step => ({ do: "measure", load });

/** It wants so many, there are so many, and it says so. */
export const scaledTo = (replicas: number): readonly Step[] => [
  wants(replicas),
  complete(replicas),
  holds({ "status.currentReplicas": replicas, "status.desiredReplicas": replicas }),
];
export const wants = (replicas: number): Step => holds({ "status.desiredReplicas": replicas });
export const holds = (expected: Expected): Step => ({ do: "until", target: TARGET, holds: expected });
export const says = (type: string, reason: string): Step =>
  holds({ [`status.conditions[${type}].reason`]: reason });
export const stays = (replicas: number, forMs: number): Step => ({
  do: "stays",
  target: "deployments/web",
  holds: { "spec.replicas": replicas },
  forMs,
});
export const change = (spec: unknown): Step => ({ do: "patch", target: TARGET, body: { spec } });

export const downAtOnce = { scaleDown: { stabilizationWindowSeconds: 0 } };
export const byOnePod = (periodSeconds: number) => ({
  stabilizationWindowSeconds: 0,
  policies: [{ type: "Pods", value: 1, periodSeconds }],
});

export function ofFront(target: MetricTarget, kind = "Service"): MetricSpec {
  return {
    type: "Object",
    object: { describedObject: { apiVersion: "v1", kind, name: "front" }, metric: { name: "qps" }, target },
  };
}
