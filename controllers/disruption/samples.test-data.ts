import { asStored } from "../../test/harness/stored.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import type { IntOrString } from "../../pkg/api/int-or-string.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Stored, OwnerReference } from "../../pkg/api/object.ts";
import type { Pod, PodCondition, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../pkg/api/types/policy-v1.gen.ts";

type LabelMap = Readonly<Record<string, string>>;
export const LABELS: LabelMap = { foo: "bar" };

export function minAvailable(value: IntOrString): PodDisruptionBudget {
  return budget({ minAvailable: value });
}

export function budget(
  spec: PodDisruptionBudgetSpec,
  status?: PodDisruptionBudgetStatus,
  name = "foobar",
): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default", uid: `${name}-uid`, generation: 1 },
    spec: { selector: { matchLabels: LABELS }, ...spec },
    ...(status && { status }),
  };
}

export interface PodSketch {
  readonly owner?: OwnerReference;
  readonly labels?: LabelMap;
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly phase?: string;
  readonly conditions?: readonly PodCondition[];
}

export function pod(name: string, sketch: PodSketch = {}): Stored<Pod> {
  const { owner, labels = LABELS, ready = true, deleting, phase, conditions = [] } = sketch;
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      labels,
      ...(owner && { ownerReferences: [owner] }),
      ...(deleting && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { containers: [{ name: "main", image: "image" }] },
    status: {
      ...(phase !== undefined && { phase }),
      conditions: [...conditions, ...(ready ? [{ type: "Ready", status: "True" }] : [])],
    },
  });
}

type Workload = ReplicationController | ReplicaSet | Deployment | StatefulSet;

function meta(name: string, owner?: OwnerReference): Workload["metadata"] {
  return { name, namespace: "default", uid: `${name}-uid`, ...(owner && { ownerReferences: [owner] }) };
}

export function replicationController(name: string, replicas: number): ReplicationController {
  return { metadata: meta(name), spec: { replicas } };
}

export function replicaSet(name: string, replicas: number, owner?: OwnerReference): ReplicaSet {
  return { metadata: meta(name, owner), spec: { replicas, selector: {} } };
}

export function deployment(name: string, replicas: number): Deployment {
  return { metadata: meta(name), spec: { replicas, selector: {}, template: {} } };
}

export function statefulSet(name: string, replicas: number): StatefulSet {
  return { metadata: meta(name), spec: { replicas, selector: {}, template: {} } };
}

export const refTo = {
  replicationController: (object: ReplicationController) =>
    newControllerRef(asStored(object), resources.replicationControllers),
  replicaSet: (object: ReplicaSet) => newControllerRef(asStored(object), resources.replicaSets),
  deployment: (object: Deployment) => newControllerRef(asStored(object), resources.deployments),
  statefulSet: (object: StatefulSet) => newControllerRef(asStored(object), resources.statefulSets),
};
