import { duration, float, int32, type Flag } from "../flag.ts";

/** The flag that every workload controller has: how many objects it works on at once. */
export function concurrency(name: string, defaultValue: number, nouns: string, config: string): Flag<number> {
  return int32(name, defaultValue, `${nouns} that are worked on at the same time.`, { config });
}

export const deployment = {
  title: "Deployment-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-deployment-syncs",
      5,
      "Deployments",
      "DeploymentController.ConcurrentDeploymentSyncs",
    ),
  },
};

export const statefulset = {
  title: "Statefulset-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-statefulset-syncs",
      5,
      "StatefulSets",
      "StatefulSetController.ConcurrentStatefulSetSyncs",
    ),
  },
};

export const daemonset = {
  title: "Daemonset-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-daemonset-syncs",
      2,
      "DaemonSets",
      "DaemonSetController.ConcurrentDaemonSetSyncs",
    ),
  },
};

export const replicaset = {
  title: "Replicaset-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-replicaset-syncs",
      5,
      "ReplicaSets",
      "ReplicaSetController.ConcurrentRSSyncs",
    ),
  },
};

export const replicationcontroller = {
  title: "Replicationcontroller-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-rc-syncs",
      5,
      "ReplicationControllers",
      "ReplicationController.ConcurrentRCSyncs",
    ),
  },
};

export const job = {
  title: "Job-controller",
  flags: {
    concurrentSyncs: concurrency("concurrent-job-syncs", 5, "Jobs", "JobController.ConcurrentJobSyncs"),
  },
};

export const cronjob = {
  title: "Cronjob-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-cron-job-syncs",
      5,
      "CronJobs",
      "CronJobController.ConcurrentCronJobSyncs",
    ),
  },
};

export const ttlAfterFinished = {
  title: "Ttl-after-finished-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-ttl-after-finished-syncs",
      5,
      "Finished Jobs",
      "TTLAfterFinishedController.ConcurrentTTLSyncs",
    ),
  },
};

export const podGarbageCollector = {
  title: "Pod-garbage-collector-controller",
  flags: {
    terminatedPodThreshold: int32(
      "terminated-pod-gc-threshold",
      12_500,
      "Finished Pods that may exist before the oldest are deleted; 0 or less never deletes them.",
      { config: "PodGCController.TerminatedPodGCThreshold" },
    ),
  },
};

export const horizontalPodAutoscaler = {
  title: "Horizontal-pod-autoscaler-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-horizontal-pod-autoscaler-syncs",
      5,
      "HorizontalPodAutoscalers",
      "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
    ),
    cpuInitializationPeriodMs: duration(
      "horizontal-pod-autoscaler-cpu-initialization-period",
      300_000,
      "How long after its start a Pod's CPU samples may be passed over.",
      { config: "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod" },
    ),
    downscaleStabilizationMs: duration(
      "horizontal-pod-autoscaler-downscale-stabilization",
      300_000,
      "The highest recommendation within this time is the lowest count to scale down to.",
      { config: "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow" },
    ),
    initialReadinessDelayMs: duration(
      "horizontal-pod-autoscaler-initial-readiness-delay",
      30_000,
      "How long after its start a Pod's readiness counts as its first.",
      { config: "HPAController.HorizontalPodAutoscalerInitialReadinessDelay" },
    ),
    syncPeriodMs: duration("horizontal-pod-autoscaler-sync-period", 15_000, "Period of every autoscaler.", {
      config: "HPAController.HorizontalPodAutoscalerSyncPeriod",
    }),
    tolerance: float(
      "horizontal-pod-autoscaler-tolerance",
      0.1,
      "How far the ratio of actual to desired may be from 1 before anything is scaled.",
      { config: "HPAController.HorizontalPodAutoscalerTolerance" },
    ),
  },
};
