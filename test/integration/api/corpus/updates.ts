import type { UpdateCase } from "./corpus-case.ts";
import { badDetails, goodDetails } from "./detail-updates.ts";

const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "x:1" }] } };
const workload = { selector: { matchLabels: labels }, template };
const jobTemplate = { spec: { containers: [{ name: "app", image: "x:1" }], restartPolicy: "Never" } };

const deployment = { apiVersion: "apps/v1", kind: "Deployment", spec: workload };
const statefulSet = { apiVersion: "apps/v1", kind: "StatefulSet", spec: workload };
const daemonSet = { apiVersion: "apps/v1", kind: "DaemonSet", spec: workload };
const replicaSet = { apiVersion: "apps/v1", kind: "ReplicaSet", spec: workload };
const job = { apiVersion: "batch/v1", kind: "Job", spec: { template: jobTemplate } };
const suspended = { apiVersion: "batch/v1", kind: "Job", spec: { suspend: true, template: jobTemplate } };
const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "app", image: "x:1" }] } };
const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const configMap = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" }, immutable: true };
const start = "2026-01-01T00:00:00Z";
const condition = (type: string, status = "True"): object => ({ type, status, lastTransitionTime: start });

const good: Readonly<Record<string, Omit<UpdateCase, "name" | "valid">>> = {
  "a changed replica count bumps the generation": { object: deployment, patch: { spec: { replicas: 3 } } },
  "a changed annotation bumps a deployment's generation": {
    object: deployment,
    patch: { metadata: { annotations: { a: "b" } } },
  },
  "a changed label does not": { object: deployment, patch: { metadata: { labels: { a: "b" } } } },
  "nothing changed": { object: deployment, patch: { spec: { replicas: 1 } } },
  "status in a spec write is ignored": { object: deployment, patch: { status: { replicas: 9 } } },
  "spec in a status write is ignored": {
    object: deployment,
    subresource: "status",
    patch: { spec: { replicas: 9 }, status: { replicas: 2 }, metadata: { labels: { z: "z" } } },
  },
  "annotations through a deployment's status": {
    object: deployment,
    subresource: "status",
    patch: { metadata: { annotations: { z: "z" } } },
  },
  "a template of a daemon set": {
    object: daemonSet,
    patch: { spec: { template: { metadata: { labels: { more: "x" } } } } },
  },
  "a daemon set without its annotation": {
    object: daemonSet,
    patch: { metadata: { annotations: null } },
  },
  "a daemon set without its annotation, through its status": {
    object: daemonSet,
    subresource: "status",
    patch: { metadata: { annotations: null }, status: { numberReady: 1 } },
  },
  "a job without labels": { object: job, patch: { metadata: { labels: null } } },
  "a job without labels, through its status": {
    object: job,
    subresource: "status",
    patch: { metadata: { labels: null }, status: { active: 1 } },
  },
  "update strategy of a daemon set": {
    object: daemonSet,
    patch: { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } },
  },
  "number of a revision": {
    object: { apiVersion: "apps/v1", kind: "ControllerRevision", data: { a: 1 }, revision: 1 },
    patch: { revision: 2, data: { a: 1 }, metadata: { labels: { a: "b" } } },
  },
  "retention, ordinals and history of a stateful set": {
    object: statefulSet,
    patch: {
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
        ordinals: { start: 2 },
        revisionHistoryLimit: 1,
        minReadySeconds: 3,
      },
    },
  },
  "status of a stateful set": {
    object: statefulSet,
    subresource: "status",
    patch: {
      status: {
        replicas: 2,
        currentReplicas: 1,
        currentRevision: "a",
        updateRevision: "b",
        observedGeneration: 1,
      },
    },
  },
  "replicas and partition of a stateful set": {
    object: statefulSet,
    patch: { spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: 2 } } } },
  },
  "status of a replica set": {
    object: replicaSet,
    subresource: "status",
    patch: { status: { replicas: 2, readyReplicas: 1 } },
  },
  "parallelism of a job": { object: job, patch: { spec: { parallelism: 4 } } },
  "scheduling of a suspended job": {
    object: suspended,
    patch: {
      spec: { template: { spec: { nodeSelector: { a: "b" } }, metadata: { annotations: { x: "y" } } } },
    },
  },
  "status of a job that starts": {
    object: job,
    subresource: "status",
    patch: { status: { startTime: start, active: 1, ready: 0 } },
  },
  "status of a job that completes": {
    object: job,
    subresource: "status",
    before: { subresource: "status", patch: { status: { startTime: start, active: 1 } } },
    patch: {
      status: {
        active: 0,
        succeeded: 1,
        completionTime: "2026-01-01T00:01:00Z",
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      },
    },
  },
  "image of a pod": { object: pod, patch: { spec: { containers: [{ name: "app", image: "y:2" }] } } },
  "a toleration more": {
    object: pod,
    patch: { spec: { tolerations: [{ key: "a", operator: "Exists" }] } },
  },
  "status of a pod": {
    object: pod,
    subresource: "status",
    patch: {
      status: {
        phase: "Running",
        podIP: "1.2.3.4",
        podIPs: [{ ip: "1.2.3.4" }],
        conditions: [condition("Ready")],
      },
      metadata: {
        labels: { b: "c" },
        ownerReferences: [{ apiVersion: "v1", kind: "A", name: "a", uid: "1" }],
      },
    },
  },
  "volume name of a pending claim": { object: claim, patch: { spec: { volumeName: "v" } } },
  "a bound claim grows": {
    object: claim,
    before: { subresource: "status", patch: { status: { phase: "Bound" } } },
    patch: { spec: { resources: { requests: { storage: "2Gi" } } } },
  },
  "labels of an immutable config map": { object: configMap, patch: { metadata: { labels: { a: "b" } } } },
};

const bad: Readonly<Record<string, Omit<UpdateCase, "name" | "valid">>> = {
  "selector of a deployment": {
    object: deployment,
    patch: {
      spec: { selector: { matchLabels: { b: "c" } }, template: { metadata: { labels: { b: "c" } } } },
    },
  },
  "more ready than there are": {
    object: deployment,
    subresource: "status",
    patch: { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 } },
  },
  "collision count that goes back": {
    object: deployment,
    before: { subresource: "status", patch: { status: { collisionCount: 2 } } },
    subresource: "status",
    patch: { status: { collisionCount: 1 } },
  },
  "claims of a stateful set": {
    object: statefulSet,
    patch: { spec: { volumeClaimTemplates: [{ metadata: { name: "d" }, spec: claim.spec }] } },
  },
  "more current pods of a stateful set than there are": {
    object: statefulSet,
    subresource: "status",
    patch: { status: { replicas: 1, currentReplicas: 2, availableReplicas: -1 } },
  },
  "collisions of a stateful set that go back": {
    object: statefulSet,
    before: { subresource: "status", patch: { status: { replicas: 0, collisionCount: 2 } } },
    subresource: "status",
    patch: { status: { collisionCount: 1 } },
  },
  "number of a revision below zero": {
    object: { apiVersion: "apps/v1", kind: "ControllerRevision", data: { a: 1 }, revision: 1 },
    patch: { revision: -1 },
  },
  "service name of a stateful set": { object: statefulSet, patch: { spec: { serviceName: "other" } } },
  "pod management of a stateful set": {
    object: statefulSet,
    patch: { spec: { podManagementPolicy: "Parallel" } },
  },
  "selector of a daemon set": {
    object: daemonSet,
    patch: { spec: { selector: { matchLabels: { x: "y" } } } },
  },
  "completions of a job": { object: job, patch: { spec: { completions: 5 } } },
  "template of a job that runs": {
    object: job,
    patch: { spec: { template: { spec: { nodeSelector: { a: "b" } } } } },
  },
  "image of a suspended job": {
    object: suspended,
    patch: { spec: { template: { spec: { containers: [{ name: "app", image: "other:1" }] } } } },
  },
  "complete without a time": {
    object: job,
    subresource: "status",
    patch: { status: { startTime: start, conditions: [condition("Complete")] } },
  },
  "failed without a target": {
    object: job,
    subresource: "status",
    patch: { status: { conditions: [condition("Failed")], active: 1 } },
  },
  "a terminal condition that is taken back": {
    object: job,
    before: {
      subresource: "status",
      patch: {
        status: {
          startTime: start,
          failed: 2,
          conditions: [condition("FailureTarget"), condition("Failed")],
        },
      },
    },
    subresource: "status",
    patch: { status: { failed: 1, conditions: [] } },
  },
  "completed indexes of a job without": {
    object: job,
    subresource: "status",
    patch: { status: { completedIndexes: "0", failedIndexes: "3-1" } },
  },
  "another command of a pod": {
    object: pod,
    patch: { spec: { containers: [{ name: "app", image: "x:1", command: ["x"] }] } },
  },
  "a container more": {
    object: pod,
    patch: {
      spec: {
        containers: [
          { name: "app", image: "x:1" },
          { name: "b", image: "x:1" },
        ],
      },
    },
  },
  "quality of service of a pod": {
    object: pod,
    subresource: "status",
    patch: { status: { qosClass: "Guaranteed" } },
  },
  "a deadline that is longer": {
    object: { ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 5 } },
    patch: { spec: { activeDeadlineSeconds: 6 } },
  },
  "access modes of a claim": { object: claim, patch: { spec: { accessModes: ["ReadOnlyMany"] } } },
  "data of an immutable config map": { object: configMap, patch: { data: { a: "2" }, immutable: false } },
  "type of a secret": {
    object: { apiVersion: "v1", kind: "Secret", data: { a: "AA==" } },
    patch: { type: "other" },
  },
  "role of a binding": {
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      roleRef: { kind: "Role", name: "r" },
    },
    patch: { roleRef: { name: "other" } },
  },
  "value of a priority class": {
    object: { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", value: 5 },
    patch: { value: 6 },
  },
  "provisioner of a storage class": {
    object: { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", provisioner: "p" },
    patch: { provisioner: "q", parameters: { a: "b" } },
  },
  "address type of a slice": {
    object: { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4", endpoints: [] },
    patch: { addressType: "IPv6" },
  },
  "phase of a namespace": {
    object: { apiVersion: "v1", kind: "Namespace" },
    subresource: "status",
    patch: { status: { phase: "Terminating" } },
  },
  "pod CIDR of a node": {
    object: { apiVersion: "v1", kind: "Node", spec: { podCIDR: "10.1.0.0/24", providerID: "a" } },
    patch: { spec: { podCIDR: "10.2.0.0/24", podCIDRs: ["10.2.0.0/24"], providerID: "b" } },
  },
  "data of a revision": {
    object: { apiVersion: "apps/v1", kind: "ControllerRevision", data: { a: 1 }, revision: 1 },
    patch: { data: { a: 2 } },
  },
};

const named =
  (valid: boolean) =>
  ([name, one]: [string, Omit<UpdateCase, "name" | "valid">], index: number): UpdateCase => {
    const metadata = { name: `update-${valid ? "good" : "bad"}-${index}` };
    return { ...one, name, valid, object: { ...one.object, metadata } };
  };

export const updateCases: readonly UpdateCase[] = [
  ...Object.entries({ ...good, ...goodDetails }).map(named(true)),
  ...Object.entries({ ...bad, ...badDetails }).map(named(false)),
];
