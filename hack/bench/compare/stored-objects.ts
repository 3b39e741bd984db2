import type { ApiObject, ObjectMeta, OwnerReference } from "../../../pkg/api/object.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { ConfigMap, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { hollowNode, hostAddress, PODS_PER_NODE } from "../../../pkg/cluster/hollow/node-object.ts";
import { decidePodLife } from "../../../pkg/cluster/hollow/pod-life.ts";

/** The namespace of everything that is stored. */
export const STORED = "stored";
const REPLICAS = 25;
/** A label that all stored pods have. */
export const HASH = "5d9c7b6f4";
const CREATED_MS = Date.UTC(2026, 0, 15, 9, 30);
const created = formatTime(CREATED_MS);

/** Nodes, Deployments of 25, their ReplicaSets and pods, all as they are when everything has been running for long. */
export function storedWorkloads(podCount: number): readonly ApiObject[] {
  const nodes = Array.from({ length: nodesFor(podCount) }, (_, index) => {
    const node = hollowNode({ index, nowMs: CREATED_MS });
    return {
      ...node,
      metadata: { ...node.metadata, uid: uid("node", index), creationTimestamp: created },
    };
  });
  const crowd = { namespace: () => STORED, replicas: REPLICAS };
  return [...nodes, ...storedDeployments(Math.ceil(podCount / REPLICAS), crowd)];
}

interface Crowd {
  /** Of the Deployment with this number, its ReplicaSet and its pods. */
  readonly namespace: (index: number) => string;
  readonly replicas: number;
}

/** Deployments, their ReplicaSets and pods, but not the nodes that these are on. */
export function storedDeployments(count: number, crowd: Crowd): readonly ApiObject[] {
  const nodes = nodesFor(count * crowd.replicas);
  return Array.from({ length: count }, (_, index) => [
    storedDeployment(index, crowd),
    storedReplicaSet(index, crowd),
    ...Array.from({ length: crowd.replicas }, (_, replica) => storedPod({ index, replica, nodes }, crowd)),
  ]).flat();
}

/** Pods with these numbers that hollow nodes have run for long: nothing is left for these to say of them. */
export function storedPodsOn(nodes: number, first: number, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, offset) => {
    const number = first + offset;
    const place = { index: Math.floor(number / REPLICAS), replica: number % REPLICAS, nodes };
    const pod = storedPod(place, { namespace: () => STORED, replicas: REPLICAS });
    const hostIP = hostAddress(number % nodes);
    const { status = pod.status ?? {} } = decidePodLife(
      pod,
      { hostIP, podIP: pod.status?.podIP ?? "" },
      CREATED_MS,
    );
    return { ...pod, status };
  });
}

function nodesFor(podCount: number): number {
  return Math.ceil(podCount / (PODS_PER_NODE - 10));
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

function storedDeployment(index: number, { namespace, replicas }: Crowd): ApiObject {
  const labels = { app: deploymentName(index) };
  const condition = { status: "True", lastUpdateTime: created, lastTransitionTime: created };
  const meta = metaOf("deployment", index, deploymentName(index), namespace(index));
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...meta, labels, generation: 1, annotations: { "deployment.kubernetes.io/revision": "1" } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
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

function storedReplicaSet(index: number, { namespace, replicas }: Crowd): ApiObject {
  const labels = { app: deploymentName(index), "pod-template-hash": HASH };
  const owner = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: deploymentName(index),
    uid: uid("deployment", index),
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...metaOf("replica-set", index, setNameOf(index), namespace(index)),
      labels,
      generation: 1,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": String(replicas),
        // Of a rolling update: a quarter more, rounded up.
        "deployment.kubernetes.io/max-replicas": String(Math.ceil(replicas * 1.25)),
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [controlling(owner)],
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
    },
    status: {
      observedGeneration: 1,
      replicas,
      fullyLabeledReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      terminatingReplicas: 0,
    },
  } as ApiObject;
}

interface Place {
  readonly index: number;
  readonly replica: number;
  readonly nodes: number;
}

/** About 4 KB, a third of which is managedFields, as usual. */
function storedPod({ index, replica, nodes }: Place, { namespace, replicas }: Crowd): Pod {
  const number = index * replicas + replica;
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
      ...metaOf("pod", number, podName(index, replica), namespace(index)),
      generateName: `${setNameOf(index)}-`,
      labels: { app: deploymentName(index), "pod-template-hash": HASH },
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

function metaOf(kind: string, index: number, name: string, namespace = STORED): ObjectMeta {
  return { namespace, name, uid: uid(kind, index), creationTimestamp: created };
}

function controlling(owner: Omit<OwnerReference, "controller">): OwnerReference {
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

const kinds = ["node", "deployment", "replica-set", "pod", "config-map"];

function uid(kind: string, index: number): string {
  const group = kinds.indexOf(kind).toString(16).padStart(4, "0");
  return `00000000-${group}-4000-8000-${index.toString(16).padStart(12, "0")}`;
}

export function deploymentName(index: number): string {
  return `app-${index}`;
}

function setNameOf(index: number): string {
  return `${deploymentName(index)}-${HASH}`;
}

export function podName(index: number, replica: number): string {
  return `${setNameOf(index)}-${replica.toString(36).padStart(5, "x")}`;
}
