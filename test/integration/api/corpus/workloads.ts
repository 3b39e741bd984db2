import { cases } from "./corpus-case.ts";

const labels = { app: "a" };
const podSpec = { containers: [{ name: "app", image: "x:1" }] };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const workload = (extra: object) => ({ spec: { selector, template, ...extra } });
const unmatched = { metadata: { labels: { app: "b" } }, spec: podSpec };
const never = {
  metadata: { labels },
  spec: { ...podSpec, restartPolicy: "Never", activeDeadlineSeconds: 5 },
};
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const mounting = {
  metadata: { labels },
  spec: { containers: [{ name: "app", image: "x:1", volumeMounts: [{ name: "data", mountPath: "/d" }] }] },
};

const deployments = cases(
  "apps/v1",
  "Deployment",
  {
    minimal: workload({}),
    recreate: workload({ strategy: { type: "Recreate" }, replicas: 0 }),
    "rolling update": workload({ strategy: { rollingUpdate: { maxSurge: 1 } }, minReadySeconds: 5 }),
    paused: workload({ paused: true, revisionHistoryLimit: 0, progressDeadlineSeconds: 60 }),
    "expressions and status": {
      ...workload({ selector: { matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }] } }),
      status: { replicas: 3 },
    },
  },
  {
    "no selector": { spec: { template } },
    "empty selector": { spec: { selector: {}, template } },
    "selector does not match": workload({ template: unmatched }),
    "bad selector": workload({ selector: { matchExpressions: [{ key: "a b", operator: "Near" }] } }),
    "negative numbers": workload({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 }),
    "deadline below ready seconds": workload({ minReadySeconds: 700 }),
    "both zero": workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    "bad percentages": workload({ strategy: { rollingUpdate: { maxSurge: "x%", maxUnavailable: "101%" } } }),
    "recreate with rolling update": workload({
      strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } },
    }),
    "pods that end": workload({ template: never }),
    "no template": { spec: { selector } },
  },
);

const replicaSets = cases(
  "apps/v1",
  "ReplicaSet",
  { minimal: workload({}), zero: workload({ replicas: 0 }) },
  { "selector does not match": workload({ template: unmatched }), "no selector": { spec: { template } } },
);

const replicationControllers = cases(
  "v1",
  "ReplicationController",
  { minimal: { spec: { template } }, selected: { spec: { selector: labels, template, replicas: 2 } } },
  { "no template": { spec: { selector: labels } }, "no labels": { spec: { template: { spec: podSpec } } } },
);

const statefulSets = cases(
  "apps/v1",
  "StatefulSet",
  {
    minimal: workload({}),
    claims: workload({ serviceName: "s", volumeClaimTemplates: [claim], template: mounting }),
    "on delete": workload({ updateStrategy: { type: "OnDelete" }, podManagementPolicy: "Parallel" }),
    partition: workload({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2, maxUnavailable: 2 } },
      ordinals: { start: 3 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    }),
    "strategy without parameters": workload({ updateStrategy: { type: "RollingUpdate" } }),
    "claims with labels and a status": workload({
      volumeClaimTemplates: [
        {
          ...claim,
          metadata: { ...claim.metadata, labels, annotations: { a: "b" } },
          status: { phase: "Bound" },
        },
      ],
      revisionHistoryLimit: 0,
      minReadySeconds: 5,
      replicas: 0,
    }),
    "history below zero": workload({ revisionHistoryLimit: -1 }),
    "no rule for a claim": workload({ persistentVolumeClaimRetentionPolicy: {} }),
  },
  {
    "numbers below zero": workload({
      replicas: -1,
      minReadySeconds: -1,
      ordinals: { start: -1 },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } },
    }),
    "selector does not match": workload({ template: unmatched }),
    "long name": { metadata: { name: "n".repeat(64) }, ...workload({}) },
    "bad policies": workload({
      podManagementPolicy: "Chaos",
      updateStrategy: { type: "Now" },
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Burn" },
    }),
    "bad service name": workload({ serviceName: "A.b" }),
    "bad claims": workload({ volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] }),
    "pods that end": workload({ template: never }),
    "dotted name": { metadata: { name: "a.b" }, ...workload({}) },
    "empty selector": { spec: { selector: {}, template } },
    "partition of on-delete": workload({
      updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } },
    }),
  },
);

const daemonSets = cases(
  "apps/v1",
  "DaemonSet",
  {
    minimal: workload({}),
    surge: workload({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
    "on delete": workload({ updateStrategy: { type: "OnDelete" } }),
  },
  {
    "surge and unavailable": workload({
      updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    }),
    neither: workload({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    "selector does not match": workload({ template: unmatched }),
    "unknown strategy": workload({ updateStrategy: { type: "Now" } }),
    "pods that end": workload({ template: never }),
  },
);

const revisions = cases(
  "apps/v1",
  "ControllerRevision",
  { data: { data: { spec: {} }, revision: 3 } },
  {
    "no data": { revision: 1 },
    "null for data": { data: null, revision: 1 },
    "text for data": { data: "text", revision: 1 },
    "a list for data": { data: [1], revision: 1 },
    negative: { data: { a: 1 }, revision: -1 },
  },
);

const jobTemplate = { spec: { ...podSpec, restartPolicy: "Never" } };
const job = (extra: object) => ({ spec: { template: jobTemplate, ...extra } });
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };

const jobs = cases(
  "batch/v1",
  "Job",
  {
    minimal: job({}),
    "labels of the template": { spec: { template: { metadata: { labels }, ...jobTemplate } } },
    "parallelism alone": job({ parallelism: 3 }),
    "indexed with limits": job({ ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }),
    "success policy": job({
      ...indexed,
      successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] },
    }),
    "failure policy": job({
      podFailurePolicy: {
        rules: [
          { action: "FailJob", onExitCodes: { operator: "In", values: [1, 42] } },
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
        ],
      },
    }),
    "manual selector": {
      spec: { manualSelector: true, selector, template: { metadata: { labels }, ...jobTemplate } },
    },
    "suspended, deadline, ttl": job({ suspend: true, activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 0 }),
  },
  {
    "restart always": { spec: { template: { spec: podSpec } } },
    "negative numbers": job({
      parallelism: -1,
      completions: -1,
      backoffLimit: -1,
      ttlSecondsAfterFinished: -1,
    }),
    "indexed without completions": job({ completionMode: "Indexed", parallelism: 1 }),
    "per index without indexes": job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
    "bad policies": job({ completionMode: "Some", podReplacementPolicy: "Never", managedBy: "me" }),
    "bad failure policy": job({
      podFailurePolicy: {
        rules: [
          { action: "" },
          { action: "Explode", onExitCodes: { operator: "In", values: [2, 1, 0, 1], containerName: "zzz" } },
          { action: "FailIndex", onPodConditions: [{ type: "a b", status: "Maybe" }] },
        ],
      },
    }),
    "bad success policy": job({
      ...indexed,
      successPolicy: {
        rules: [{}, { succeededIndexes: "2-1" }, { succeededIndexes: "0", succeededCount: 9 }],
      },
    }),
    "success policy without indexes": job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    "selector of its own": job({ selector }),
    "labels that contradict": {
      spec: {
        template: { metadata: { labels: { "job-name": "other", "controller-uid": "x" } }, ...jobTemplate },
      },
    },
  },
);

const cron = (extra: object) => ({ spec: { schedule: "*/5 * * * *", jobTemplate: job({}), ...extra } });

const cronJobs = cases(
  "batch/v1",
  "CronJob",
  {
    minimal: cron({}),
    full: cron({
      schedule: "@hourly",
      timeZone: "Europe/Paris",
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 10,
      successfulJobsHistoryLimit: 0,
      suspend: true,
    }),
    names: cron({ schedule: "0 0 1-5/2 JAN,jul MON-FRI" }),
    every: cron({ schedule: "@every 1h30m" }),
  },
  {
    "no schedule": { spec: { jobTemplate: job({}) } },
    "bad schedule": cron({ schedule: "61 * * * *" }),
    "short schedule": cron({ schedule: "* * *" }),
    "backward range": cron({ schedule: "5-1 * * * *" }),
    "not a number": cron({ schedule: "x * * * *" }),
    "zone in the schedule": cron({ schedule: "TZ=UTC * * * * *" }),
    "unknown zone": cron({ timeZone: "Mars/Olympus" }),
    "bad policies": cron({ concurrencyPolicy: "Queue", startingDeadlineSeconds: -1 }),
    "selector in the template": cron({ jobTemplate: job({ selector, manualSelector: true }) }),
    "long name": { metadata: { name: "a".repeat(53) }, ...cron({}) },
  },
);

const podTemplates = cases("v1", "PodTemplate", { minimal: { template } });

export const workloadCases = [
  ...deployments,
  ...replicaSets,
  ...replicationControllers,
  ...statefulSets,
  ...daemonSets,
  ...revisions,
  ...jobs,
  ...cronJobs,
  ...podTemplates,
];
