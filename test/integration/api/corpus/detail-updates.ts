import type { UpdateCase } from "./corpus-case.ts";

type Change = Omit<UpdateCase, "name" | "valid">;

const start = "2026-01-01T00:00:00Z";
const earlier = "2025-12-31T00:00:00Z";
const condition = (type: string, status = "True"): object => ({ type, status, lastTransitionTime: start });
const podSpec = { containers: [{ name: "app", image: "x:1" }], restartPolicy: "Never" };
const job = { apiVersion: "batch/v1", kind: "Job", spec: { template: { spec: podSpec } } };
const indexedJob = {
  ...job,
  spec: { ...job.spec, completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1 },
};
const elasticJob = {
  ...job,
  spec: { ...job.spec, completionMode: "Indexed", completions: 3, parallelism: 3 },
};
const begun: Change["before"] = { subresource: "status", patch: { status: { startTime: start, active: 2 } } };
const ofJob = (status: object, before: Change["before"] = begun, object: Change["object"] = job): Change => ({
  object,
  before,
  subresource: "status",
  patch: { status },
});
const ended: Change["before"] = {
  subresource: "status",
  patch: {
    status: {
      startTime: start,
      completionTime: start,
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    },
  },
};

const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "app", image: "x:1" }] } };
const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
const guaranteed = { ...pod, spec: { containers: [{ name: "app", image: "x:1", resources }] } };
const terms = (...values: readonly string[]): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: values.map((value) => ({
        matchExpressions: [{ key: "zone", operator: "In", values: [value] }],
      })),
    },
  },
});
const gated = {
  ...pod,
  spec: {
    ...pod.spec,
    schedulingGates: [{ name: "example.com/a" }],
    nodeSelector: { disk: "fast" },
    affinity: terms("a"),
  },
};
const affinityOf = (...expressions: readonly object[]): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: expressions }],
    },
  },
});
const inZone = { key: "zone", operator: "In", values: ["a"] };
const quota = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  spec: { hard: { pods: "1" }, scopes: ["BestEffort"] },
};
const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
};

export const goodDetails: Readonly<Record<string, Change>> = {
  "a resized pod": {
    object: guaranteed,
    subresource: "resize",
    patch: {
      spec: {
        containers: [
          {
            name: "app",
            image: "x:1",
            resources: { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } },
          },
        ],
      },
    },
  },
  "a gated pod that is narrowed": {
    object: gated,
    patch: {
      spec: {
        nodeSelector: { more: "x" },
        affinity: affinityOf(inZone, { key: "disk", operator: "Exists" }),
      },
    },
  },
  "a gate that opens": { object: gated, patch: { spec: { schedulingGates: [] } } },
  "a job that grows": { object: elasticJob, patch: { spec: { completions: 4, parallelism: 4 } } },
  "a job that ends": ofJob({
    active: 0,
    completionTime: start,
    succeeded: 1,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  }),
  "a job that fails": ofJob({
    active: 0,
    failed: 1,
    conditions: [condition("FailureTarget"), condition("Failed")],
  }),
  "an address of an ingress": {
    object: ingress,
    subresource: "status",
    patch: { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "a.b" }] } } },
  },
  "how much of a quota is used": {
    object: quota,
    subresource: "status",
    patch: { status: { hard: { pods: "1" }, used: { pods: "1" } } },
  },
};

export const badDetails: Readonly<Record<string, Change>> = {
  "a job that completes and fails": ofJob({
    active: 0,
    completionTime: start,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete"), condition("Failed")],
  }),
  "a job that completes and is to fail": ofJob({
    active: 0,
    completionTime: start,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete"), condition("FailureTarget")],
  }),
  "a time of completion without completion": ofJob({ completionTime: start }),
  "a completion before the start": ofJob({
    active: 0,
    completionTime: earlier,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  }),
  "a job that ends with pods that are not counted": ofJob({
    active: 0,
    completionTime: start,
    uncountedTerminatedPods: { succeeded: ["u"] },
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  }),
  "a job that ends with pods that go": ofJob({
    active: 0,
    terminating: 1,
    completionTime: start,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  }),
  "more pods ready than there are": ofJob({ ready: 3 }),
  "indexes that are none": ofJob({ completedIndexes: "a", failedIndexes: "b" }, begun, indexedJob),
  "indexes that are not there": ofJob({ completedIndexes: "0-3", failedIndexes: "4" }, begun, indexedJob),
  "indexes that have done both": ofJob({ completedIndexes: "0-1", failedIndexes: "1" }, begun, indexedJob),
  "a job that succeeds and is to fail": ofJob({
    conditions: [condition("SuccessCriteriaMet"), condition("FailureTarget")],
  }),
  "another time of completion": ofJob({ completionTime: "2026-01-02T00:00:00Z" }, ended),
  "another start": ofJob({ startTime: "2026-01-02T00:00:00Z" }),
  "a success that is taken back": ofJob(
    { conditions: [condition("SuccessCriteriaMet", "False"), condition("Complete")] },
    ended,
  ),
  "a completion that is taken back": ofJob(
    { conditions: [condition("SuccessCriteriaMet"), condition("Complete", "False")] },
    ended,
  ),
  "an ended job with active pods": ofJob({ active: 1 }, ended),
  "a job that grows in one way": { object: elasticJob, patch: { spec: { completions: 4 } } },
  "a resize of something else": {
    object: guaranteed,
    subresource: "resize",
    patch: {
      spec: {
        containers: [
          {
            name: "app",
            image: "x:1",
            resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } },
          },
        ],
      },
    },
  },
  "a resize that adds a container": {
    object: guaranteed,
    subresource: "resize",
    patch: {
      spec: {
        containers: [
          { name: "app", image: "x:1", resources },
          { name: "b", image: "x:1", resources },
        ],
      },
    },
  },
  "a gated pod that is widened": { object: gated, patch: { spec: { nodeSelector: { disk: null } } } },
  "a gated pod with another term": { object: gated, patch: { spec: { affinity: terms("a", "b") } } },
  "a gated pod with another requirement": {
    object: gated,
    patch: { spec: { affinity: affinityOf({ ...inZone, values: ["b"] }) } },
  },
  "a gated pod without its affinity": { object: gated, patch: { spec: { affinity: null } } },
  "a gate that is new": { object: pod, patch: { spec: { schedulingGates: [{ name: "example.com/b" }] } } },
  "a deadline that is none": { object: pod, patch: { spec: { activeDeadlineSeconds: 2_147_483_648 } } },
  "an AppArmor annotation": {
    object: pod,
    patch: {
      metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/app": "runtime/default" } },
    },
  },
  "a pod's addresses": {
    object: pod,
    subresource: "status",
    patch: {
      status: {
        observedGeneration: -1,
        hostIP: "10.0.0.1",
        hostIPs: [{ ip: "10.0.0.2" }, { ip: "10.0.0.3" }],
        podIPs: [{ ip: "10.0.0.2" }, { ip: "10.0.0.3" }],
      },
    },
  },
  "a nomination where a node is given": {
    object: { ...pod, spec: { ...pod.spec, nodeName: "n" } },
    subresource: "status",
    patch: { status: { nominatedNodeName: "A b" } },
  },
  "a container that never starts again, and does": {
    object: { ...pod, spec: { ...pod.spec, restartPolicy: "Never" } },
    before: {
      subresource: "status",
      patch: {
        status: {
          containerStatuses: [
            {
              name: "app",
              image: "x:1",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode: 1 } },
            },
          ],
        },
      },
    },
    subresource: "status",
    patch: {
      status: {
        containerStatuses: [
          { name: "app", image: "x:1", imageID: "", ready: false, restartCount: 0, state: { running: {} } },
        ],
      },
    },
  },
  "other scopes": { object: quota, patch: { spec: { scopes: ["NotBestEffort"] } } },
  "an address of an ingress that is none": {
    object: ingress,
    subresource: "status",
    patch: { status: { loadBalancer: { ingress: [{ ip: "here", hostname: "10.0.0.1" }] } } },
  },
};
