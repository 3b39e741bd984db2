import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";

/** What a case says of a Deployment; all else is as a client would leave it. */
export interface DeploymentSketch {
  readonly name?: string;
  readonly replicas?: number;
  readonly strategy?: string;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly deadline?: number;
  readonly historyLimit?: number;
  readonly paused?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template?: PodTemplateSpec;
  readonly status?: DeploymentStatus;
}

export interface ReplicaSetSketch {
  readonly pods?: number;
  readonly ready?: number;
  readonly available?: number;
  readonly terminating?: number;
  readonly observed?: number;
  /** Seconds after the epoch. */
  readonly created?: number;
  readonly generation?: number;
  readonly deleting?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly template?: PodTemplateSpec;
  readonly owner?: Stored<Deployment>;
}

const LABELS = { foo: "bar" };

export function deployment(sketch: DeploymentSketch = {}): Stored<Deployment> {
  const { name = "foo", replicas = 1, strategy = "RollingUpdate", surge, unavailable } = sketch;
  return asStored<Deployment>({
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      ...(sketch.annotations && { annotations: sketch.annotations }),
    },
    spec: {
      replicas,
      selector: { matchLabels: sketch.selector ?? LABELS },
      strategy: {
        type: strategy,
        ...(strategy === "RollingUpdate" && {
          rollingUpdate: { maxSurge: surge ?? 0, maxUnavailable: unavailable ?? 0 },
        }),
      },
      template: sketch.template ?? template(),
      ...(sketch.deadline !== undefined && { progressDeadlineSeconds: sketch.deadline }),
      ...(sketch.historyLimit !== undefined && { revisionHistoryLimit: sketch.historyLimit }),
      ...(sketch.paused !== undefined && { paused: sketch.paused }),
    },
    ...(sketch.status && { status: sketch.status }),
  });
}

export function replicaSet(name: string, size: number, sketch: ReplicaSetSketch = {}): Stored<ReplicaSet> {
  const { pods = 0, ready = 0, available = 0, terminating, observed, created = 0 } = sketch;
  return asStored<ReplicaSet>({
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      labels: sketch.labels ?? LABELS,
      creationTimestamp: formatTime(created * 1_000),
      ...(sketch.annotations && { annotations: sketch.annotations }),
      ...(sketch.generation !== undefined && { generation: sketch.generation }),
      ...(sketch.deleting && { deletionTimestamp: formatTime(created * 1_000) }),
      ...(sketch.owner && {
        ownerReferences: [newControllerRef(asStored(sketch.owner), resources.deployments)],
      }),
    },
    spec: {
      replicas: size,
      selector: { matchLabels: LABELS },
      template: sketch.template ?? template(),
    },
    status: {
      replicas: pods,
      readyReplicas: ready,
      availableReplicas: available,
      ...(terminating !== undefined && { terminatingReplicas: terminating }),
      ...(observed !== undefined && { observedGeneration: observed }),
    },
  });
}

export function template(
  image = "image",
  labels: Readonly<Record<string, string>> = LABELS,
): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: "c", image }] } };
}

export function progressing(
  status: "True" | "False" | "Unknown",
  reason: string,
  since?: string,
): DeploymentCondition {
  const times = since === undefined ? {} : { lastUpdateTime: since, lastTransitionTime: since };
  return { type: "Progressing", status, reason, ...times };
}
