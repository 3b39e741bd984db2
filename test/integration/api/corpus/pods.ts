import { cases } from "./corpus-case.ts";

const image = "registry.example/app:1";
const container = { name: "app", image };
const spec = (extra: object) => ({ spec: { containers: [container], ...extra } });
const withContainer = (extra: object) => ({ spec: { containers: [{ ...container, ...extra }] } });

export const podCases = cases(
  "v1",
  "Pod",
  {
    minimal: spec({}),
    "image without a tag": { spec: { containers: [{ name: "app", image: "nginx" }] } },
    "image by digest": {
      spec: { containers: [{ name: "app", image: `nginx@sha256:${"a".repeat(64)}` }] },
    },
    "image with a port in its host": { spec: { containers: [{ name: "app", image: "localhost:5000/a/b" }] } },
    "limits without requests": withContainer({ resources: { limits: { cpu: "1000m", memory: "1024Mi" } } }),
    "requests and limits": withContainer({
      resources: { requests: { cpu: "0.1", memory: "64Mi" }, limits: { cpu: 2, memory: "0.5Gi" } },
    }),
    guaranteed: withContainer({
      resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
    }),
    "probes of every sort": withContainer({
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: "web" }, failureThreshold: 5 },
      startupProbe: { grpc: { port: 5000 } },
      lifecycle: { postStart: { exec: { command: ["true"] } }, preStop: { sleep: { seconds: 3 } } },
    }),
    "ports and env": withContainer({
      ports: [
        { containerPort: 80, name: "web" },
        { containerPort: 53, protocol: "UDP" },
      ],
      env: [
        { name: "A", value: "1" },
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      envFrom: [{ configMapRef: { name: "c" } }],
    }),
    "host network": {
      spec: { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] },
    },
    "volumes of every sort": {
      spec: {
        volumes: [
          { name: "empty" },
          { name: "sized", emptyDir: { sizeLimit: "1000Mi" } },
          { name: "host", hostPath: { path: "/tmp" } },
          { name: "config", configMap: { name: "c" } },
          { name: "secret", secret: { secretName: "s" } },
          { name: "claim", persistentVolumeClaim: { claimName: "c" } },
          {
            name: "down",
            downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] },
          },
          { name: "proj", projected: { sources: [{ configMap: { name: "c" } }] } },
          {
            name: "eph",
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
          { name: "img", image: { reference: "x/y:1" } },
        ],
        containers: [{ ...container, volumeMounts: [{ name: "empty", mountPath: "/e" }] }],
      },
    },
    "sidecar and init container": {
      spec: {
        initContainers: [
          { name: "init", image },
          { name: "side", image, restartPolicy: "Always", readinessProbe: { httpGet: { port: 1 } } },
        ],
        containers: [container],
      },
    },
    "affinity, spread and tolerations": spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 10,
              podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } } },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
      ],
      tolerations: [{ key: "x", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
    }),
    "match label keys become requirements": {
      metadata: { labels: { app: "a", "pod-template-hash": "1" } },
      ...spec({
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: { app: "a" } },
            matchLabelKeys: ["pod-template-hash"],
          },
        ],
      }),
    },
    "scheduling gates": spec({ schedulingGates: [{ name: "example.com/wait" }] }),
    "status is dropped": { ...spec({}), status: { phase: "Running", podIP: "1.2.3.4" } },
    "security contexts": {
      spec: {
        securityContext: { runAsUser: 1, fsGroup: 2, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          { ...container, securityContext: { privileged: false, capabilities: { drop: ["ALL"] } } },
        ],
      },
    },
    "restart policy and deadline": spec({ restartPolicy: "Never", activeDeadlineSeconds: 10 }),
    "service account and false fields": spec({
      serviceAccountName: "sa",
      hostNetwork: false,
      hostPID: false,
      shareProcessNamespace: false,
      automountServiceAccountToken: false,
    }),
    "nulls and empty fields": spec({ nodeSelector: null, tolerations: [], hostname: "", volumes: null }),
    dns: spec({ dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a.b."] } }),
    "owner and finalizers": {
      metadata: {
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "1", controller: true }],
        finalizers: ["example.com/keep"],
      },
      ...spec({}),
    },
  },
  {
    "no containers": { spec: {} },
    "no image": { spec: { containers: [{ name: "app" }] } },
    "bad container name": { spec: { containers: [{ name: "App_1", image }] } },
    "container name twice": { spec: { containers: [container, container] } },
    "bad names": {
      metadata: { labels: { "-bad": "x", ok: "no spaces" }, annotations: { "a/b/c": "" } },
      ...spec({ nodeSelector: { a: "b c" }, hostname: "A.B", serviceAccountName: "A" }),
    },
    "unknown policies": spec({ restartPolicy: "Sometimes", dnsPolicy: "Never" }),
    "unknown container policies": withContainer({
      imagePullPolicy: "Often",
      terminationMessagePolicy: "Nowhere",
    }),
    "bad ports": withContainer({
      ports: [
        { containerPort: 0 },
        { containerPort: 70000, name: "UPPER" },
        { containerPort: 1, hostPort: 99999, protocol: "XYZ" },
        { containerPort: 2, name: "way-too-long-a-name" },
      ],
    }),
    "request above limit": withContainer({
      resources: { requests: { cpu: "2" }, limits: { cpu: "1", "example.com/gpu": "1500m" } },
    }),
    "negative and unknown resources": withContainer({
      resources: { requests: { cpu: "-1", unknown: "1" }, limits: { "hugepages-2Mi": "3Mi" } },
    }),
    "bad env": withContainer({
      env: [
        { name: "" },
        { name: "A=B", value: "x" },
        { name: "X", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "Y", valueFrom: {} },
        { name: "Z", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
        { name: "Q", valueFrom: { resourceFieldRef: { resource: "limits.disk" } } },
        { name: "S", valueFrom: { secretKeyRef: { name: "Bad", key: "a/b" } } },
      ],
    }),
    "mount of an unknown volume": withContainer({
      volumeMounts: [
        { name: "nope", mountPath: "/a" },
        { name: "nope2", mountPath: "/a" },
        { name: "x", mountPath: "" },
      ],
    }),
    "volume problems": spec({
      volumes: [
        { name: "A", emptyDir: {} },
        { name: "b", configMap: {}, secret: { secretName: "x" } },
        { name: "c", hostPath: { path: "a/../b", type: "Thing" } },
        { name: "d", emptyDir: {} },
        { name: "d", emptyDir: {} },
        { name: "e", nfs: { server: "", path: "rel" } },
        { name: "f", secret: { secretName: "s", defaultMode: 999 } },
      ],
    }),
    "probe problems": withContainer({
      livenessProbe: { successThreshold: 2, httpGet: { port: 0, scheme: "FTP" } },
      readinessProbe: { exec: {}, tcpSocket: { port: 1 }, initialDelaySeconds: -1 },
      startupProbe: {},
    }),
    "probes of an init container": {
      spec: {
        containers: [container],
        initContainers: [
          { name: "init", image, livenessProbe: { httpGet: { port: 1 } } },
          { name: "app", image },
        ],
      },
    },
    "bad tolerations": spec({
      tolerations: [
        { operator: "Equal" },
        { key: "a", effect: "NoSchedule", tolerationSeconds: 1 },
        { key: "b", operator: "Exists", value: "x" },
        { key: "c", operator: "Like" },
        { key: "d", effect: "Whenever" },
      ],
    }),
    "bad affinity": spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchExpressions: [{ key: "a", operator: "Gt", values: [] }] } },
          ],
        },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }] },
      },
    }),
    "bad spread": spec({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Maybe", minDomains: 2 },
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", labelSelector: {} },
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", labelSelector: {} },
      ],
    }),
    "host ports that do not match": {
      spec: {
        hostNetwork: true,
        containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }],
      },
    },
    "host port twice": {
      spec: {
        containers: [
          {
            ...container,
            ports: [
              { containerPort: 1, hostPort: 80 },
              { containerPort: 2, hostPort: 80 },
            ],
          },
        ],
      },
    },
    "ephemeral containers on create": spec({ ephemeralContainers: [{ name: "e", image }] }),
    "deletion cost and deadline": {
      metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "+5" } },
      ...spec({ activeDeadlineSeconds: 0 }),
    },
    "two controllers": {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "A", name: "a", uid: "1", controller: true },
          { apiVersion: "v1", kind: "B", name: "b", uid: "2", controller: true },
          { apiVersion: "", kind: "", name: "", uid: "" },
        ],
        finalizers: ["bad finalizer"],
      },
      ...spec({}),
    },
    "image with spaces": { spec: { containers: [{ name: "app", image: " x " }] } },
    "gate and node": spec({ schedulingGates: [{ name: "a" }, { name: "a" }], nodeName: "n" }),
    "labels of volumes in a way that is off": spec({
      securityContext: { seLinuxChangePolicy: "MountOption" },
    }),
    "security problems": {
      spec: {
        securityContext: { runAsUser: -1, seccompProfile: { type: "Localhost" }, fsGroupChangePolicy: "No" },
        containers: [
          {
            ...container,
            securityContext: { privileged: true, allowPrivilegeEscalation: false, runAsGroup: -2 },
          },
        ],
      },
    },
  },
);
