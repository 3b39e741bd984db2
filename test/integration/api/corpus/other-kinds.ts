import { cases } from "./corpus-case.ts";

const ports = [{ port: 80 }];
const request = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } };
const rbac = "rbac.authorization.k8s.io/v1";
const target = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };

const network = [
  ...cases(
    "v1",
    "Service",
    {
      headless: { spec: { clusterIP: "None", selector: { a: "b" }, ports } },
      "headless without selector": { spec: { clusterIP: "None" } },
      "external name": { spec: { type: "ExternalName", externalName: "example.com." } },
    },
    {
      "no ports": { spec: { selector: { a: "b" } } },
      "bad ports": {
        spec: {
          ports: [
            { port: 0 },
            { port: 80, name: "A", protocol: "XYZ", targetPort: "too-long-a-port-name" },
            { port: 80, name: "b", nodePort: 30000 },
          ],
        },
      },
      "bad enumerations": {
        spec: { ports, type: "Magic", sessionAffinity: "Sticky", internalTrafficPolicy: "No" },
      },
      "external name with address": { spec: { type: "ExternalName", externalName: "A_b" } },
      "fields of a load balancer": {
        spec: { ports, externalTrafficPolicy: "Local", loadBalancerClass: "a/b", healthCheckNodePort: 5 },
      },
      "duplicate ports": {
        spec: {
          ports: [
            { name: "a", port: 1 },
            { name: "a", port: 1 },
          ],
        },
      },
    },
  ),
  ...cases(
    "v1",
    "Endpoints",
    { minimal: {}, subsets: { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] } },
    {
      "bad subsets": {
        subsets: [
          {},
          { addresses: [{ ip: "127.0.0.1" }, { ip: "x" }], ports: [{ port: 0 }, { name: "a", port: 1 }] },
        ],
      },
    },
  ),
  ...cases(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    {
      empty: { addressType: "IPv4", endpoints: [] },
      full: {
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.2.3.4"], conditions: { ready: true, serving: false } }],
        ports: [{ port: 80 }, { name: "b", port: 81, protocol: "UDP" }],
      },
    },
    {
      "no type": { endpoints: [] },
      "bad endpoints": {
        addressType: "IPv4",
        endpoints: [{ addresses: [] }, { addresses: ["::2"] }, { addresses: ["127.0.0.1"], hostname: "A" }],
        ports: [{ name: "A", protocol: "X" }, { name: "b" }, { name: "b" }],
      },
    },
  ),
  ...cases("networking.k8s.io/v1", "Ingress", {
    full: {
      spec: {
        rules: [
          {
            host: "a.example",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
  }),
  ...cases("networking.k8s.io/v1", "NetworkPolicy", {
    minimal: { spec: { podSelector: {} } },
    egress: { spec: { podSelector: { matchLabels: { a: "b" } }, egress: [{ ports: [{ port: 53 }] }] } },
  }),
  ...cases("networking.k8s.io/v1", "IngressClass", {
    minimal: { spec: { controller: "example.com/c" } },
    parameters: { spec: { controller: "example.com/c", parameters: { kind: "K", name: "n" } } },
  }),
];

const storage = [
  ...cases(
    "v1",
    "PersistentVolumeClaim",
    {
      minimal: { spec: request },
      full: {
        spec: {
          ...request,
          storageClassName: "",
          volumeMode: "Block",
          selector: { matchLabels: { a: "b" } },
        },
      },
      source: { spec: { ...request, dataSource: { kind: "PersistentVolumeClaim", name: "x" } } },
    },
    {
      empty: { spec: {} },
      "room for nothing": { spec: { ...request, resources: { requests: { storage: "0" } } } },
      "bad values": {
        spec: {
          accessModes: ["ReadWriteOnce", "ReadWriteOncePod", "Never"],
          resources: { requests: { storage: "-1" } },
          volumeMode: "Tape",
          storageClassName: "A b",
          dataSource: { kind: "Pod", name: "" },
        },
      },
    },
  ),
  ...cases(
    "v1",
    "PersistentVolume",
    {
      "host path": {
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
      },
      csi: {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany"],
          csi: { driver: "d.example", volumeHandle: "h" },
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: "fast",
        },
      },
    },
    { empty: { spec: {} } },
  ),
  ...cases(
    "storage.k8s.io/v1",
    "StorageClass",
    {
      minimal: { provisioner: "example.com/p" },
      full: { provisioner: "p", reclaimPolicy: "Retain", allowVolumeExpansion: true },
    },
    { bad: { reclaimPolicy: "Recycle", volumeBindingMode: "Later" } },
  ),
  ...cases("storage.k8s.io/v1", "CSIDriver", { minimal: { spec: {} } }),
  ...cases("storage.k8s.io/v1", "CSINode", { minimal: { spec: { drivers: [{ name: "d", nodeID: "n" }] } } }),
  ...cases(
    "storage.k8s.io/v1",
    "VolumeAttachment",
    { minimal: { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } } },
    { empty: { spec: {} } },
  ),
];

const core = [
  ...cases(
    "v1",
    "Namespace",
    { minimal: {}, labelled: { metadata: { labels: { a: "b" } } } },
    { bad: { metadata: { name: "a.b" } } },
  ),
  ...cases(
    "v1",
    "Node",
    {
      minimal: {},
      full: {
        spec: { podCIDR: "10.1.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] },
        status: { capacity: { cpu: "4", memory: "8192Mi" }, nodeInfo: { kubeletVersion: "v1.36.4" } },
      },
    },
    {
      bad: {
        spec: {
          podCIDRs: ["x"],
          taints: [
            { key: "a b", effect: "Never" },
            { key: "c", effect: "NoExecute" },
            { key: "c", effect: "NoExecute" },
          ],
        },
        status: { capacity: { cpu: "-1", pods: "1.5" } },
      },
    },
  ),
  ...cases("v1", "ServiceAccount", { minimal: {}, secrets: { imagePullSecrets: [{ name: "s" }] } }),
  ...cases(
    "v1",
    "ConfigMap",
    {
      minimal: {},
      data: { data: { a: "1" }, binaryData: { b: "AQI=" } },
      fixed: { immutable: true, data: {} },
    },
    { bad: { data: { "a b": "x", "..": "y", c: "" }, binaryData: { c: "AQI=" } } },
  ),
  ...cases(
    "v1",
    "Secret",
    {
      minimal: {},
      "string data": { stringData: { a: "1" }, data: { a: "AA==", b: "AQ==" } },
      tls: { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
    },
    {
      "tls without keys": { type: "kubernetes.io/tls" },
      "basic auth": { type: "kubernetes.io/basic-auth" },
      "token without account": { type: "kubernetes.io/service-account-token" },
      "bad keys": { data: { "a/b": "" } },
    },
  ),
  ...cases(
    "v1",
    "ResourceQuota",
    {
      minimal: { spec: { hard: { cpu: "1000m", pods: "10", "count/jobs.batch": 2 } } },
      scopes: { spec: { hard: { pods: 1 }, scopes: ["BestEffort"] } },
    },
    {
      bad: {
        spec: {
          hard: { cpu: "-1", pods: "1500m", junk: "1" },
          scopes: ["BestEffort", "NotBestEffort", "Odd"],
        },
      },
      selector: {
        spec: {
          hard: { pods: "1" },
          scopeSelector: {
            matchExpressions: [
              { scopeName: "PriorityClass", operator: "In" },
              { scopeName: "Terminating", operator: "In", values: ["a"] },
            ],
          },
        },
      },
    },
  ),
  ...cases(
    "v1",
    "LimitRange",
    { container: { spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { memory: "10Mi" } }] } } },
    {
      bad: {
        spec: {
          limits: [
            { type: "Pod", default: { cpu: "1" } },
            { type: "Container", min: { cpu: "3" }, max: { cpu: "2" } },
            { type: "PersistentVolumeClaim" },
            { type: "Odd" },
          ],
        },
      },
    },
  ),
  ...cases(
    "v1",
    "Event",
    {
      minimal: { involvedObject: { kind: "Pod", name: "p", namespace: "default" }, reason: "R" },
      counted: {
        involvedObject: { kind: "Node", name: "n" },
        count: 2,
        firstTimestamp: "2026-01-01T00:00:00.5Z",
        lastTimestamp: "2026-01-01T01:00:00+01:00",
        type: "Normal",
      },
    },
    { "other namespace": { involvedObject: { kind: "Pod", namespace: "other" } } },
  ),
];

const policy = [
  ...cases(
    "policy/v1",
    "PodDisruptionBudget",
    {
      minimal: { spec: {} },
      percent: { spec: { maxUnavailable: "50%", selector: { matchLabels: { a: "b" } } } },
    },
    { both: { spec: { maxUnavailable: 1, minAvailable: "101%", unhealthyPodEvictionPolicy: "No" } } },
  ),
  ...cases(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    {
      minimal: { spec: { maxReplicas: 5, scaleTargetRef: target } },
      behavior: {
        spec: {
          maxReplicas: 5,
          scaleTargetRef: target,
          metrics: [
            {
              type: "Pods",
              pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1000m" } },
            },
          ],
          behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
        },
      },
    },
    {
      bad: {
        spec: {
          minReplicas: 0,
          scaleTargetRef: {},
          metrics: [
            { type: "Magic" },
            { type: "Resource", resource: { name: "", target: { type: "Value" } } },
          ],
          behavior: {
            scaleUp: { policies: [{ type: "X", value: 0, periodSeconds: 9999 }], selectPolicy: "No" },
          },
        },
      },
    },
  ),
  ...cases(
    "scheduling.k8s.io/v1",
    "PriorityClass",
    { minimal: { value: 5 }, zero: { value: 0 } },
    {
      high: { value: 1_000_000_001 },
      system: { metadata: { name: "system-x" }, value: 1, preemptionPolicy: "No" },
    },
  ),
  ...cases(
    "coordination.k8s.io/v1",
    "Lease",
    {
      minimal: {},
      full: {
        spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.123456Z" },
      },
    },
    { bad: { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } } },
  ),
  ...cases(
    rbac,
    "Role",
    { minimal: {}, rules: { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] } },
    { bad: { rules: [{}, { verbs: ["get"], nonResourceURLs: ["/x"], resources: ["a"] }] } },
  ),
  ...cases(
    rbac,
    "ClusterRole",
    { minimal: {}, aggregated: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } } },
    { bad: { aggregationRule: {} } },
  ),
  ...cases(
    rbac,
    "RoleBinding",
    {
      minimal: { roleRef: { kind: "Role", name: "r" } },
      subjects: {
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
    },
    {
      bad: {
        roleRef: { kind: "Thing", name: "a/b", apiGroup: "x" },
        subjects: [
          { kind: "User", apiGroup: "x" },
          { kind: "Cat", name: "c" },
        ],
      },
    },
  ),
  ...cases(
    rbac,
    "ClusterRoleBinding",
    { minimal: { roleRef: { kind: "ClusterRole", name: "r" } } },
    { bad: { roleRef: { kind: "Role", name: "" }, subjects: [{ kind: "ServiceAccount", name: "s" }] } },
  ),
  ...cases("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
    minimal: {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    },
  }),
];

const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] };
const webhook = {
  name: "a.example.com",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  clientConfig: { service: { name: "s", namespace: "default" } },
  rules: [
    { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["gadgets"] },
  ],
};

const extensions = [
  ...cases(
    "resource.k8s.io/v1",
    "ResourceClaim",
    { minimal: { spec: { devices } }, empty: { spec: {} } },
    { "no class": { spec: { devices: { requests: [{ name: "a" }, { name: "a", exactly: {} }] } } } },
  ),
  ...cases("resource.k8s.io/v1", "ResourceClaimTemplate", { minimal: { spec: { spec: { devices } } } }),
  ...cases("resource.k8s.io/v1", "DeviceClass", { minimal: { spec: {} } }),
  ...cases("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", {
    minimal: { webhooks: [webhook] },
  }),
  ...cases("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", {
    minimal: { webhooks: [webhook] },
  }),
  ...cases("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {
    minimal: { spec: { policyName: "p", validationActions: ["Deny"], matchResources: {} } },
  }),
  ...cases("storage.k8s.io/v1", "VolumeAttributesClass", {
    minimal: { driverName: "d", parameters: { a: "b" } },
  }),
  ...cases("storage.k8s.io/v1", "CSIStorageCapacity", {
    minimal: { storageClassName: "c", capacity: "1024Mi" },
  }),
  ...cases("networking.k8s.io/v1", "ServiceCIDR", { minimal: { spec: { cidrs: ["10.9.0.0/24"] } } }),
];

export const otherCases = [...network, ...storage, ...core, ...policy, ...extensions];
