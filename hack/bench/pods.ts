import type { Stored } from "../../pkg/api/object.ts";

/** The fields of pods that the controllers read between them. */
export const POD_FIELDS: readonly string[] = [
  "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]",
  "metadata.annotations[batch.kubernetes.io/job-completion-index]",
  "spec.nodeName",
  "spec.hostname",
  "spec.subdomain",
  "spec.hostNetwork",
  "spec.restartPolicy",
  "spec.tolerations",
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim",
  "spec.volumes.ephemeral",
  "spec.containers.name",
  "spec.containers.ports",
  "spec.containers.resources",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "spec.initContainers.resources",
  "spec.readinessGates",
  "status.phase",
  "status.reason",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
  "status.podIP",
  "status.podIPs",
  "status.startTime",
  "status.containerStatuses.name",
  "status.containerStatuses.ready",
  "status.containerStatuses.restartCount",
  "status.containerStatuses.state",
];

type BenchPod = Stored & {
  readonly spec: object;
  readonly status: object;
};

/** A running pod of a Deployment as a kubelet leaves it: 5 KB of JSON, a quarter of it managedFields. */
export function makePod(index: number, resourceVersion: number): BenchPod {
  const app = `app-${index % 500}`;
  const hash = (2_654_435_761 * (1 + (index % 500)) * 7919).toString(36).slice(0, 10);
  const suffix = (index * 48_271 + 60_466_176).toString(36).slice(-5);
  const uid = (seed: number): string =>
    `${hex(index * 31 + seed, 8)}-${hex(seed, 4)}-4${hex(index, 3)}-8${hex(seed + 7, 3)}-${hex(index * 7 + seed, 12)}`;
  const time = new Date(Date.UTC(2026, 0, 1) + index * 137).toISOString().replace(/\.\d+Z/, "Z");
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const node = `node-${String(index % 1000).padStart(4, "0")}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${app}-${hash}-${suffix}`,
      generateName: `${app}-${hash}-`,
      namespace: `team-${index % 100}`,
      uid: uid(1),
      resourceVersion: String(resourceVersion),
      generation: 1,
      creationTimestamp: time,
      labels: { app, "pod-template-hash": hash, tier: "backend", "app.kubernetes.io/part-of": "shop" },
      annotations: {
        "kubectl.kubernetes.io/restartedAt": time,
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "8080",
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `${app}-${hash}`,
          uid: uid(index % 500),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(time),
    },
    spec: specOf(app, suffix, node),
    status: statusOf(app, address, time, index),
  };
}

function specOf(app: string, suffix: string, node: string): object {
  const token = `kube-api-access-${suffix}`;
  return {
    volumes: [
      {
        name: token,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [containerOf(app, token)],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    serviceAccount: "default",
    nodeName: node,
    securityContext: {},
    schedulerName: "default-scheduler",
    tolerations: ["not-ready", "unreachable"].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

function containerOf(app: string, token: string): object {
  return {
    name: "server",
    image: `registry.example.com/shop/${app}:v1.4.2`,
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: [
      { name: "LOG_LEVEL", value: "info" },
      { name: "DATABASE_URL", value: `postgres://${app}.databases.svc.cluster.local:5432/shop` },
      { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector.observability.svc:4317" },
      { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
    ],
    resources: { limits: { memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    volumeMounts: [
      {
        name: token,
        readOnly: true,
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
      },
    ],
    readinessProbe: {
      httpGet: { path: "/ready", port: "http", scheme: "HTTP" },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    livenessProbe: {
      httpGet: { path: "/alive", port: "http", scheme: "HTTP" },
      initialDelaySeconds: 10,
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  };
}

function statusOf(app: string, address: string, time: string, index: number): object {
  return {
    phase: "Running",
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
      (type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: time }),
    ),
    hostIP: `192.168.${(index >> 8) & 3}.${index & 255}`,
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: time,
    containerStatuses: [
      {
        name: "server",
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${app}:v1.4.2`,
        imageID: `registry.example.com/shop/${app}@sha256:${hex(index % 500, 64)}`,
        containerID: `containerd://${hex(index, 64)}`,
        started: true,
      },
    ],
    qosClass: "Burstable",
  };
}

function managedFields(time: string): readonly object[] {
  const fields = (...names: string[]): object => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:generateName": {}, "f:labels": fields("app", "pod-template-hash", "tier") },
        "f:spec": {
          "f:containers": {
            'k:{"name":"server"}': fields("env", "image", "imagePullPolicy", "name", "ports", "resources"),
          },
          ...fields("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "securityContext"),
        },
      },
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:status": {
          "f:conditions": Object.fromEntries(
            ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"].map((type) => [
              `k:{"type":"${type}"}`,
              fields("lastProbeTime", "lastTransitionTime", "status", "type"),
            ]),
          ),
          ...fields("containerStatuses", "hostIP", "phase", "podIP", "podIPs", "startTime"),
        },
      },
      subresource: "status",
    },
  ];
}

function hex(value: number, digits: number): string {
  return Math.abs(value).toString(16).padStart(digits, "0").slice(-digits);
}
