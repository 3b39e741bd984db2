import type { ApiObject, ObjectMeta, OwnerReference } from "../../../pkg/api/object.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { ConfigMap, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { hollowNode, PODS_PER_NODE } from "../../../pkg/cluster/hollow/node-object.ts";

/** The namespace of everything that is stored. */
export const STORED = "stored";
const REPLICAS = 25;
/** Of a Deployment's rolling update: a quarter more, rounded up. */
const MOST_REPLICAS = 32;
/** A label that all stored pods have. */
export const HASH = "5d9c7b6f4";
const CREATED_MS = Date.UTC(2026, 0, 15, 9, 30);
const created = formatTime(CREATED_MS);

/** Nodes, Deployments of 25, their ReplicaSets and pods, all as they are when everything has been running for long. */
export function storedWorkloads(podCount: number): readonly ApiObject[] {
  const objects: ApiObject[] = [];
  const nodes = Math.ceil(podCount / (PODS_PER_NODE - 10));
  for (let index = 0; index < nodes; index++) {
    const node = hollowNode({ index, nowMs: CREATED_MS });
    objects.push({
      ...node,
      metadata: { ...node.metadata, uid: uid("node", index), creationTimestamp: created },
    });
  }
  for (let index = 0; index * REPLICAS < podCount; index++) {
    objects.push(storedDeployment(index), storedReplicaSet(index));
    for (let replica = 0; replica < REPLICAS; replica++) objects.push(storedPod(index, replica, nodes));
  }
  return objects;
}

/** Of so many bytes each, with a text that does not repeat from one to the next. */
export function* storedConfigMaps(count: number, bytes: number): Generator<ConfigMap> {
  for (let index = 0; index < count; index++) {
    const line = `${index} some configuration that nobody but its application understands; `;
    const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
    const metadata = metaOf("config-map", index, `config-${index}`);
    yield { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "application.yaml": text } };
  }
}

function storedDeployment(index: number): ApiObject {
  const labels = { app: nameOf(index) };
  const condition = { status: "True", lastUpdateTime: created, lastTransitionTime: created };
  const meta = metaOf("deployment", index, nameOf(index));
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...meta, labels, generation: 1, annotations: { "deployment.kubernetes.io/revision": "1" } },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {
      observedGeneration: 1,
      replicas: REPLICAS,
      updatedReplicas: REPLICAS,
      readyReplicas: REPLICAS,
      availableReplicas: REPLICAS,
      terminatingReplicas: 0,
      conditions: [
        {
          ...condition,
          type: "Available",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        },
        {
          ...condition,
          type: "Progressing",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "${setNameOf(index)}" has successfully progressed.`,
        },
      ],
    },
  } as ApiObject;
}

function storedReplicaSet(index: number): ApiObject {
  const labels = { app: nameOf(index), "pod-template-hash": HASH };
  const owner = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: nameOf(index),
    uid: uid("deployment", index),
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...metaOf("replica-set", index, setNameOf(index)),
      labels,
      generation: 1,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": String(REPLICAS),
        "deployment.kubernetes.io/max-replicas": String(MOST_REPLICAS),
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [controlling(owner)],
    },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
    },
    status: {
      observedGeneration: 1,
      replicas: REPLICAS,
      fullyLabeledReplicas: REPLICAS,
      readyReplicas: REPLICAS,
      availableReplicas: REPLICAS,
      terminatingReplicas: 0,
    },
  } as ApiObject;
}

/** About 4 KB, a third of which is managedFields, as usual. */
function storedPod(index: number, replica: number, nodes: number): Pod {
  const number = index * REPLICAS + replica;
  const owner = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: setNameOf(index),
    uid: uid("replica-set", index),
  };
  const podIP = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  const condition = { status: "True", lastProbeTime: null, lastTransitionTime: created };
  const running = {
    name: "main",
    image: "registry.example/team/app:v1",
    imageID: `sha256:${"ab".repeat(32)}`,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metaOf("pod", number, `${setNameOf(index)}-${replica.toString(36).padStart(5, "x")}`),
      generateName: `${setNameOf(index)}-`,
      labels: { app: nameOf(index), "pod-template-hash": HASH },
      annotations: { "example.com/configuration": "checksum ".repeat(30) },
      ownerReferences: [controlling(owner)],
      managedFields,
    },
    spec: { ...podSpec(), nodeName: `node-${number % nodes}`, serviceAccountName: "default", priority: 0 },
    status: {
      phase: "Running",
      qosClass: "Burstable",
      startTime: created,
      hostIP: `172.16.${(number >> 8) & 255}.${number & 255}`,
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
      ].map((type) => ({ ...condition, type })),
      containerStatuses: [
        {
          ...running,
          ready: true,
          started: true,
          restartCount: 0,
          containerID: `containerd://${number.toString(16).padStart(64, "0")}`,
          state: { running: { startedAt: created } },
        },
      ],
    },
  };
}

function podSpec(): NonNullable<Pod["spec"]> {
  const variables = Array.from({ length: 8 }, (_, index) => ({
    name: `SETTING_${index}`,
    value: `value-${index}-of-the-application`,
  }));
  return {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    securityContext: {},
    containers: [
      {
        name: "main",
        image: "registry.example/team/app:v1",
        imagePullPolicy: "IfNotPresent",
        env: variables,
        resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
        readinessProbe: {
          httpGet: { path: "/ready", port: 8080, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
  };
}

const named = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

const managedFields = [
  {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    time: created,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": { "f:labels": named(["app", "pod-template-hash"]), "f:generateName": {} },
      "f:spec": {
        "f:containers": {
          'k:{"name":"main"}': named([
            "env",
            "image",
            "imagePullPolicy",
            "name",
            "readinessProbe",
            "resources",
          ]),
        },
        ...named([
          "dnsPolicy",
          "restartPolicy",
          "schedulerName",
          "securityContext",
          "terminationGracePeriodSeconds",
        ]),
      },
    },
  },
  {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time: created,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": Object.fromEntries(
          ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"].map((type) => [
            `k:{"type":"${type}"}`,
            named(["lastProbeTime", "lastTransitionTime", "status", "type"]),
          ]),
        ),
        ...named(["containerStatuses", "hostIP", "phase", "podIP", "startTime"]),
      },
    },
    subresource: "status",
  },
];

function metaOf(kind: string, index: number, name: string): ObjectMeta {
  return { namespace: STORED, name, uid: uid(kind, index), creationTimestamp: created };
}

function controlling(owner: Omit<OwnerReference, "controller">): OwnerReference {
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

const kinds = ["node", "deployment", "replica-set", "pod", "config-map"];

function uid(kind: string, index: number): string {
  const group = kinds.indexOf(kind).toString(16).padStart(4, "0");
  return `00000000-${group}-4000-8000-${index.toString(16).padStart(12, "0")}`;
}

function nameOf(index: number): string {
  return `app-${index}`;
}

function setNameOf(index: number): string {
  return `${nameOf(index)}-${HASH}`;
}
