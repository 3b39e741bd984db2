import { cases } from "./corpus-case.ts";

const ports = [{ port: 80 }];
const podSpec = { containers: [{ name: "app", image: "x:1" }], restartPolicy: "Never" };
const job = (fields: object, spec: object = podSpec) => ({ spec: { template: { spec }, ...fields } });
const indexed = { completionMode: "Indexed", completions: 5 };
const service = (fields: object) => ({ spec: { ports, ...fields } });
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const scaler = (fields: object) => ({ spec: { maxReplicas: 3, scaleTargetRef: target, ...fields } });
const metric = (one: object) => scaler({ metrics: [one] });
const cpu = (given: object) => metric({ type: "Resource", resource: { name: "cpu", target: given } });
const ingress = (fields: object) => ({ spec: fields });
const request = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const batch = [
  ...cases(
    "batch/v1",
    "Job",
    { "managed by another": job({ managedBy: "example.com/a.b" }) },
    {
      "managed at a bad path": job({ managedBy: "example.com/a b" }),
      "managed at no path": job({ managedBy: "example.com/" }),
      "a policy for failures of pods that start again": job(
        { podFailurePolicy: { rules: [] } },
        { ...podSpec, restartPolicy: "OnFailure" },
      ),
      "a rule by two patterns": job({
        podFailurePolicy: {
          rules: [
            {
              action: "Ignore",
              onExitCodes: { operator: "In", values: [1] },
              onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
            },
          ],
        },
      }),
      "success by no rule": job({ ...indexed, successPolicy: { rules: [] } }),
      "success by indexes out of order": job({
        ...indexed,
        successPolicy: {
          rules: [{ succeededIndexes: "3,1" }, { succeededIndexes: "1-2-3" }, { succeededIndexes: "a" }],
        },
      }),
      "success by indexes that are not there": job({
        ...indexed,
        successPolicy: {
          rules: [{ succeededIndexes: "4-5" }, { succeededIndexes: "2-1" }, { succeededCount: 9 }],
        },
      }),
      "names of pods that are too long": { metadata: { name: "n".repeat(63) }, ...job(indexed) },
      "ephemeral containers in a template": job(
        {},
        { ...podSpec, ephemeralContainers: [{ name: "e", image: "x:1" }] },
      ),
    },
  ),
  ...cases(
    "batch/v1",
    "CronJob",
    {},
    { "two zones": { spec: { schedule: "TZ=UTC * * * * *", timeZone: "UTC", jobTemplate: job({}) } } },
  ),
  ...cases(
    "apps/v1",
    "DaemonSet",
    {},
    {
      "a selector of everything": {
        spec: {
          selector: {},
          template: { metadata: { labels: { a: "b" } }, spec: { containers: podSpec.containers } },
        },
      },
    },
  ),
];

const network = [
  ...cases(
    "v1",
    "Service",
    {},
    {
      "a headless load balancer": service({ type: "LoadBalancer", clusterIP: "None" }),
      "an external name with addresses": {
        spec: { type: "ExternalName", externalName: "example.com", clusterIPs: ["10.0.0.1"] },
      },
      "families of another kind": service({ ipFamilies: ["IPv5", "IPv4", "IPv4"], ipFamilyPolicy: "Triple" }),
      "affinity for ever": service({
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
      }),
      "affinity for no time": service({
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
      }),
      "traffic that goes anywhere": service({ trafficDistribution: "Anywhere" }),
    },
  ),
  ...cases("networking.k8s.io/v1", "Ingress", {}, { "no rules at all": ingress({}) }),
];

const others = [
  ...cases(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    {
      "tolerances and quantities": scaler({
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } },
          },
        ],
      }),
    },
    {
      "a share and an amount": cpu({ type: "Utilization", averageUtilization: 50, averageValue: "1" }),
      "pods by no amount": metric({
        type: "Pods",
        pods: { metric: { name: "m" }, target: { type: "AverageValue" } },
      }),
      "an object by no amount": metric({
        type: "Object",
        object: { describedObject: target, metric: { name: "m" }, target: { type: "Value" } },
      }),
      "what is outside by two amounts": metric({
        type: "External",
        external: { metric: { name: "m" }, target: { type: "Value", value: "1", averageValue: "1" } },
      }),
      "amounts that are none": metric({
        type: "External",
        external: { metric: { name: "m" }, target: { type: "Value", value: "0" } },
      }),
      "an average of nothing": cpu({ type: "AverageValue", averageValue: "-1" }),
      "a share of nothing": cpu({ type: "Utilization", averageUtilization: 0 }),
    },
  ),
  ...cases("v1", "Namespace", {}, { "a finalizer of nobody": { spec: { finalizers: ["mine"] } } }),
  ...cases(
    "v1",
    "Node",
    { "two families": { spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24", "fd00::/64"] } } },
    {
      "two networks of a family": { spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"] } },
      "three networks": { spec: { podCIDRs: ["10.1.0.0/24", "fd00::/64", "10.2.0.0/24"] } },
    },
  ),
  ...cases("v1", "Secret", {
    "logins at registries": {
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": '{"auths":{}}' },
    },
  }),
  ...cases(
    "v1",
    "ResourceQuota",
    {
      "scopes that exist": {
        spec: {
          hard: { pods: "1" },
          scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] },
        },
      },
    },
    {
      "scopes that exist with values": {
        spec: {
          hard: { pods: "1" },
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "DoesNotExist", values: ["a"] }],
          },
        },
      },
    },
  ),
  ...cases(
    "node.k8s.io/v1",
    "RuntimeClass",
    {
      full: {
        handler: "runc",
        overhead: { podFixed: { cpu: "1m", memory: "1Mi" } },
        scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "a", operator: "Exists" }] },
      },
    },
    {
      "bad overhead and tolerations": {
        handler: "runc",
        overhead: { podFixed: { disk: "1", cpu: "-1" } },
        scheduling: {
          nodeSelector: { "a b": "c" },
          tolerations: [
            { key: "a", operator: "Exists" },
            { key: "a", operator: "Exists" },
            { key: "a", operator: "Near" },
          ],
        },
      },
    },
  ),
  ...cases(
    "v1",
    "PersistentVolumeClaim",
    {},
    {
      "data from two places": {
        spec: {
          ...request,
          dataSource: { kind: "PersistentVolumeClaim", name: "a" },
          dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
        },
      },
    },
  ),
  ...cases(
    "storage.k8s.io/v1",
    "StorageClass",
    {},
    {
      "too many parameters": {
        provisioner: "example.com/p",
        parameters: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`p${index}`, "v"])),
      },
    },
  ),
  ...cases(
    "storage.k8s.io/v1",
    "VolumeAttachment",
    {},
    {
      "a volume without a name": {
        spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "" } },
      },
    },
  ),
  ...cases(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    {},
    {
      "a path of nothing": {
        webhooks: [
          {
            name: "a.b.c",
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
            clientConfig: { service: { namespace: "n", name: "s", path: "//" } },
          },
        ],
      },
    },
  ),
  ...cases(
    "v1",
    "ConfigMap",
    {},
    {
      "an event for an owner": {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "u" }] },
      },
    },
  ),
];

export const otherDetails = [...batch, ...network, ...others];
