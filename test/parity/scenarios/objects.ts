import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Step } from "../scenario.ts";
import { READINESS_GATE } from "../scenario.ts";

type DeploymentSpec = NonNullable<Deployment["spec"]>;
type PodSpec = NonNullable<PodTemplateSpec["spec"]>;

export const LABELS = { app: "web" };

export function template(
  image: string,
  spec: Partial<PodSpec> = {},
  annotations?: Readonly<Record<string, string>>,
): PodTemplateSpec {
  return {
    metadata: { labels: LABELS, ...(annotations && { annotations }) },
    spec: { containers: [{ name: "main", image }], ...spec },
  };
}

/** Pods of this template become ready only when a step lets them. */
export const gated: Partial<PodSpec> = { readinessGates: [{ conditionType: READINESS_GATE }] };

export function deployment(replicas: number, spec: Partial<DeploymentSpec> = {}): Deployment & ApiObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: LABELS },
    spec: { replicas, selector: { matchLabels: LABELS }, template: template("app:v1"), ...spec },
  };
}

export function rolling(maxSurge: number | string, maxUnavailable: number | string): Partial<DeploymentSpec> {
  return { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } };
}

export function replicaSet(
  name: string,
  replicas: number,
  pods = template("app:v1"),
  minReadySeconds = 0,
): ReplicaSet & ApiObject {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, labels: LABELS },
    spec: { replicas, minReadySeconds, selector: { matchLabels: LABELS }, template: pods },
  };
}

export function replicationController(replicas: number): ReplicationController & ApiObject {
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "web", labels: LABELS },
    spec: { replicas, selector: LABELS, template: template("app:v1") },
  };
}

export function pod(name: string, spec: Partial<PodSpec> = {}): Pod & ApiObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: LABELS },
    spec: { containers: [{ name: "main", image: "app:v1" }], ...spec },
  };
}

export const create = (object: ApiObject): Step => ({ do: "create", object });

/** A new template for the Deployment. */
export function roll(image: string, spec: Partial<PodSpec> = {}): Step {
  const { metadata, spec: pods } = template(image, spec);
  return patchSpec({ template: { metadata, spec: { readinessGates: null, ...pods } } });
}

export function patchSpec(spec: unknown): Step {
  return { do: "patch", target: "deployments/web", body: { spec } };
}

export function scale(replicas: number): Step {
  return { do: "patch", target: "deployments/web", subresource: "scale", body: { spec: { replicas } } };
}

/** The Deployment has as many pods as it wants, all new and available. */
export function complete(replicas: number): Step {
  const count = replicas === 0 ? undefined : replicas;
  return {
    do: "until",
    target: "deployments/web",
    holds: {
      "status.replicas": count,
      "status.updatedReplicas": count,
      "status.availableReplicas": count,
    },
  };
}

export function available(replicas: number): Step {
  return { do: "until", target: "deployments/web", holds: { "status.availableReplicas": replicas } };
}
