import { type CorpusCase, cases, type UpdateCase } from "./corpus-case.ts";

const container = { name: "app", image: "registry.example/app:1" };
const spec = (extra: object) => ({ spec: { containers: [container], ...extra } });
const sidecar = { name: "side", image: "registry.example/app:1", restartPolicy: "Always" };
const rules = [{ action: "x", exitCodes: { operator: "Gt" } }, {}];
const jobTemplate = { spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } } };

const claimOf = (extra: object) => ({
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...extra },
});

const device = { request: "gpu", driver: "gpu.example.com", pool: "p", device: "d0" };

/** What requests made by chance have shown the rules to say otherwise. */
export const chanceCases: readonly CorpusCase[] = [
  ...cases(
    "v1",
    "Pod",
    {
      "grace before the beginning": spec({ terminationGracePeriodSeconds: -5 }),
      "a signal to stop, which is off": {
        spec: {
          containers: [
            { ...container, lifecycle: { stopSignal: "SIGTERM" } },
            {
              ...container,
              name: "other",
              lifecycle: { stopSignal: "SIGTERM", preStop: { sleep: { seconds: 3 } } },
            },
          ],
        },
      },
      "images that are none": {
        spec: {
          containers: [
            "a".repeat(64),
            "http://example.com",
            "a/B",
            "-a",
            "a:b/c",
            "a_b/c",
            "A/b",
            "a..b",
          ].map((name, index) => ({ name: `c${index}`, image: name })),
        },
      },
      "images of long names": {
        spec: {
          containers: [253, 247, 248].map((length) => ({
            name: `c${length}`,
            image: `${"z".repeat(length)}:latest`,
          })),
        },
      },
      "images of every sort": {
        spec: {
          containers: ["A.b/c", "localhost/a", "[::1]:5000/a", "a__b", "a-b_c.d/e:latest", "a.b:1/c/d:L"].map(
            (name, index) => ({ name: `c${index}`, image: name }),
          ),
        },
      },
      "resources of the whole": {
        spec: {
          containers: [{ ...container, resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } }],
          resources: { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "4", memory: "2Gi" } },
        },
      },
    },
    {
      "names of sysctls": spec({
        securityContext: {
          sysctls: ["net.a-", "a..b", "A", "kernel.shm-"].map((name) => ({ name, value: "1" })),
        },
      }),
      "rules of an init container without a policy": spec({
        initContainers: [{ ...container, name: "init", restartPolicyRules: rules }],
      }),
      "rules of an init container": spec({
        initContainers: [
          { ...sidecar, restartPolicyRules: rules },
          { ...sidecar, name: "other", restartPolicy: "Never", restartPolicyRules: rules },
        ],
      }),
      "overhead in no such words": spec({
        overhead: { pods: "100m", cpu: "-1", a: "1", "a b": "1", "example.com/a": "1.5" },
      }),
      "resources of less than the whole": {
        spec: {
          containers: [
            { ...container, resources: { requests: { cpu: "2" }, limits: { cpu: "3", memory: "2Gi" } } },
          ],
          initContainers: [{ ...sidecar, resources: { requests: { memory: "2Gi" } } }],
          resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } },
        },
      },
      "resources of the whole that there are none of": spec({
        resources: {
          claims: [{ name: "x" }],
          requests: { pods: "1", a: "1" },
          limits: { "example.com/a": "1" },
        },
      }),
      "resources of a whole on Windows": spec({
        os: { name: "windows" },
        resources: { requests: { a: "1" } },
      }),
      "another name for the kernel": spec({
        hostnameOverride: `${"a".repeat(63)}.B`,
        setHostnameAsFQDN: true,
        hostNetwork: true,
      }),
      "files in volumes that are none": {
        spec: {
          volumes: [{ name: "host", hostPath: { path: "/" } }],
          initContainers: [
            {
              ...sidecar,
              env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "host", path: "a", key: "K" } } }],
            },
          ],
          containers: [
            {
              ...container,
              env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "none", path: "a", key: "K" } } }],
            },
          ],
        },
      },
      "volumes of two types": spec({
        volumes: [
          {
            name: "a",
            emptyDir: {},
            cephfs: { monitors: ["m"] },
            nfs: { server: "s", path: "/" },
            downwardAPI: {},
          },
        ],
      }),
      "claims with names of their own": spec({
        volumes: [
          {
            name: "a",
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { name: "x", labels: { "a b": "c" }, uid: "u", finalizers: ["a/b"] },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
        ],
      }),
      "system without a name": spec({ os: {} }),
    },
  ),
  ...cases(
    "apps/v1",
    "DaemonSet",
    {
      "how to replace what is not replaced": {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
          updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: "25%" } },
        },
      },
    },
    {
      "amounts as texts": {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
          updateStrategy: { rollingUpdate: { maxSurge: "1", maxUnavailable: 0 } },
        },
      },
    },
  ),
  ...cases(
    "v1",
    "Service",
    {},
    {
      "traffic of no service of this cluster": {
        spec: {
          type: "ExternalName",
          externalName: "example.com",
          externalTrafficPolicy: "Cluster",
          externalIPs: ["1.2.3.4"],
        },
      },
    },
  ),
  ...cases(
    "v1",
    "Node",
    { "what it can do": { status: { declaredFeatures: ["A", "B/c1"] } } },
    {
      "addresses that are none": { spec: { podCIDRs: ["10.1.0.0/24", "b"] } },
      "what nothing can do": {
        status: { declaredFeatures: ["B", "A", "A", "a", "/", "A/1", `A${"a".repeat(253)}`] },
      },
    },
  ),
  ...cases("v1", "Node", {
    "two ways to say its addresses": {
      spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["x", "y"] },
      status: { config: { error: "old" } },
    },
  }),
  ...cases(
    "v1",
    "PersistentVolumeClaim",
    {
      "sources of old": claimOf({ dataSource: { kind: "PersistentVolumeClaim", name: "a" } }),
      "sources that nobody knew": claimOf({ dataSource: { apiGroup: "example.com", kind: "A", name: "a" } }),
      "sources by references": claimOf({ dataSourceRef: { apiGroup: "example.com", kind: "A", name: "a" } }),
      "sources elsewhere": claimOf({
        dataSourceRef: { kind: "PersistentVolumeClaim", name: "a", namespace: "b" },
      }),
    },
    {
      "sources without names": claimOf({ dataSourceRef: { apiGroup: "A_" } }),
      "two sources": claimOf({
        dataSource: { kind: "PersistentVolumeClaim", name: "a" },
        dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
      }),
    },
  ),
  ...cases(
    "v1",
    "PersistentVolume",
    {},
    {
      "less than nothing": {
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "-1" },
          hostPath: { path: "/a" },
        },
      },
      "a little less than nothing": {
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "-100m" }, hostPath: { path: "/a" } },
      },
    },
  ),
  ...cases(
    "resource.k8s.io/v1",
    "ResourceClaimTemplate",
    {},
    {
      "metadata of an object": {
        spec: {
          metadata: {
            name: "n",
            generateName: "g",
            selfLink: "s",
            uid: "u",
            generation: 1,
            deletionTimestamp: "2026-01-01T00:00:00Z",
            deletionGracePeriodSeconds: 0,
            ownerReferences: [{ apiVersion: "v1", kind: "A", name: "a", uid: "1" }],
            annotations: { "a b": "c" },
          },
          spec: {},
        },
      },
    },
  ),
  ...cases(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    {
      "names with a dot at their end": {
        addressType: "FQDN",
        endpoints: [{ addresses: ["a.example.com."] }],
        ports: [],
      },
    },
    {
      "names that are none": {
        addressType: "FQDN",
        endpoints: [
          { addresses: ["a-b"] },
          { addresses: ["A.b"] },
          { addresses: [`${"a".repeat(64)}.${"b".repeat(64)}`] },
          { addresses: ["", "."] },
        ],
        ports: [],
      },
    },
  ),
  ...cases("v1", "ResourceQuota", {
    "more pods than there can be": { spec: { hard: { pods: "1e30" } } },
  }),
  ...cases(
    "v1",
    "PodTemplate",
    {},
    {
      "devices without the users of the host": {
        template: {
          spec: {
            hostUsers: false,
            containers: [{ ...container, volumeDevices: [{ name: "v", devicePath: "/dev/v" }] }],
            initContainers: [
              { ...sidecar, volumeDevices: [{ name: "v", devicePath: "/dev/v" }] },
              { ...container, name: "first" },
            ],
            volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
            restartPolicy: "Always",
          },
        },
      },
    },
  ),
  ...cases("policy/v1", "PodDisruptionBudget", {
    "any name": { metadata: { name: "Any..Name_" }, spec: { minAvailable: 1 } },
  }),
  ...cases(
    "batch/v1",
    "CronJob",
    {},
    {
      "zone that leads elsewhere": { spec: { schedule: "@hourly", timeZone: "a..b", jobTemplate } },
      "zone without a name": { spec: { schedule: "@hourly", timeZone: "../b", jobTemplate } },
    },
  ),
];

export const chanceUpdates: readonly UpdateCase[] = [
  {
    name: "overhead of a runtime class",
    valid: false,
    object: {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "chance-0" },
      handler: "none",
    },
    patch: {
      overhead: { podFixed: { a: "1Gi", memory: "100m" } },
      scheduling: { nodeSelector: { a: "a/b" }, tolerations: [{ operator: "x" }] },
    },
  },
  {
    name: "one address of a pod",
    valid: true,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "chance-7" },
      spec: { containers: [container] },
    },
    subresource: "status",
    patch: { status: { podIP: "10.0.0.1" } },
  },
  {
    name: "several addresses of a pod",
    valid: true,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "chance-8" },
      spec: { containers: [container] },
    },
    subresource: "status",
    patch: { status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "::1" }] } },
  },
  {
    name: "an address of a pod that is none",
    valid: false,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "chance-9" },
      spec: { containers: [container] },
    },
    subresource: "status",
    patch: { status: { podIP: "x", podIPs: [{ ip: "10.0.0.1" }] } },
  },
  {
    name: "where there is room",
    valid: false,
    object: {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIStorageCapacity",
      metadata: { name: "chance-10" },
      storageClassName: "c",
    },
    patch: { storageClassName: "A_", nodeTopology: { matchLabels: { a: "$" } } },
  },
  {
    name: "how far a claim has got",
    valid: false,
    object: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "chance-5" },
      ...claimOf({}),
    },
    subresource: "status",
    patch: {
      status: {
        capacity: { storage: "-1" },
        allocatedResourceStatuses: { storage: "x", cpu: "NodeResizePending", "a b": "NodeResizePending" },
        allocatedResources: { storage: "-1", cpu: "1", "example.com/a": "-2" },
      },
    },
  },
  {
    name: "sources of a claim that has none",
    valid: true,
    object: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "chance-6" },
      ...claimOf({}),
    },
    patch: { spec: { dataSource: { apiGroup: "example.com", kind: "A", name: "a" } } },
  },
  {
    name: "claims of a pod that has none",
    valid: false,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "chance-4" },
      spec: { containers: [container] },
    },
    subresource: "status",
    patch: {
      status: {
        resourceClaimStatuses: [{ name: "a", resourceClaimName: "A" }, { name: "b" }],
        extendedResourceClaimStatus: {
          requestMappings: [
            { containerName: "app", resourceName: "x/y", requestName: "R" },
            { containerName: "no", resourceName: "x/y", requestName: "r" },
          ],
          resourceClaimName: "",
        },
        nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "a" }],
      },
    },
  },
  {
    name: "prefix of a name that is made",
    valid: false,
    object: {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "chance-3" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
      },
    },
    patch: { metadata: { generateName: "a/b%c" } },
  },
  {
    name: "shares of devices that have no proper identity",
    valid: false,
    object: {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { name: "chance-7" },
      spec: {},
    },
    subresource: "status",
    patch: {
      status: {
        allocation: {
          devices: {
            results: [{ ...device, shareID: "3F2504E0-4F89-11D3-9A0C-0305E82C3301" }],
          },
        },
        devices: [
          "app",
          "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
          "3f2504e04f8911d39a0c0305e82c3301",
          "xf2504e04f8911d39a0c0305e82c3301",
          "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}",
          "(3f2504e0-4f89-11d3-9a0c-0305e82c3301)",
          "URN:uuid:3f2504e0-4f89-11d3-9a0c-0305e82c3301",
          "urn:uxid:3f2504e0-4f89-11d3-9a0c-0305e82c3301",
          "3f2504e0x4f89-11d3-9a0c-0305e82c3301",
          "3f2504e0-4f89-11d3-9a0c-0305e82c330g",
        ].map((shareID, index) => ({ ...device, device: `d${index}`, shareID })),
      },
    },
  },
  {
    name: "addresses of a node",
    valid: false,
    object: { apiVersion: "v1", kind: "Node", metadata: { name: "chance-1" } },
    patch: { spec: { podCIDRs: ["x"] } },
  },
  {
    name: "configuration of a node that nobody has set",
    valid: true,
    object: { apiVersion: "v1", kind: "Node", metadata: { name: "chance-2" } },
    subresource: "status",
    patch: { status: { config: {}, phase: "Pending" } },
  },
];
