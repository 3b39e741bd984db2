import type { FeatureGates } from "../../pkg/api/feature-gates.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { Counter, Histogram, Metrics } from "../../pkg/metrics/metrics.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import type { PerOwner } from "../../pkg/api/per-owner.ts";
import type { PodControl } from "../../pkg/controller/pod-control.ts";
import type { BackoffRecord } from "./backoff.ts";
import type { FinalizerExpectations } from "./finalizer-expectations.ts";

/** All that a sync of a Job works with. */
export interface JobContext {
  readonly jobs: Lister<Job>;
  readonly pods: Lister<Pod>;
  readonly client: Pick<ResourceClient<Job>, "get" | "updateStatus">;
  readonly podControl: PodControl;
  readonly expectations: Expectations;
  readonly deletions: DeletionTracking;
  readonly finalizers: FinalizerExpectations;
  /** Whether the namespace of that name is being deleted. */
  readonly isLeaving: (namespace: string) => boolean;
  readonly backoffs: PerOwner<BackoffRecord>;
  /** uids of Jobs that were told to have finished, while the cache does not show it yet. */
  readonly finished: Set<string>;
  /** Undefined when the feature gate is off. */
  readonly consistency: ConsistencyStore | undefined;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly features: FeatureGates;
  readonly metrics: JobMetrics;
}

/** Changes of pods and statuses are looked at together, once in this time. */
export const BATCH_MS = 1_000;

export interface JobMetrics {
  readonly syncSeconds: Histogram;
  readonly syncs: Counter;
  readonly jobsFinished: Counter;
  readonly externalJobs: Counter;
  readonly podsFinished: Counter;
  readonly policyActions: Counter;
  readonly trackedPods: Counter;
  readonly finishedIndexes: Counter;
  readonly podsCreated: Counter;
}

const SYNC_SECONDS = Array.from({ length: 15 }, (_, power) => Number((0.004 * 2 ** power).toFixed(3)));

export function jobMetrics(metrics: Metrics): JobMetrics {
  const named = (name: string, help: string, labels: readonly string[]) => ({
    name: `job_controller_${name}`,
    help,
    labels,
  });
  const bySync = ["completion_mode", "result", "action"];
  return {
    syncSeconds: metrics.histogram({
      ...named("job_sync_duration_seconds", "Seconds that one look at a Job took.", bySync),
      buckets: SYNC_SECONDS,
      stability: "STABLE",
    }),
    syncs: metrics.counter({ ...named("job_syncs_total", "Looks at Jobs.", bySync), stability: "STABLE" }),
    jobsFinished: metrics.counter({
      ...named("jobs_finished_total", "Jobs that have finished.", ["completion_mode", "result", "reason"]),
      stability: "STABLE",
    }),
    externalJobs: metrics.counter({
      ...named("jobs_by_external_controller_total", "Jobs that another controller manages.", [
        "controller_name",
      ]),
      stability: "ALPHA",
    }),
    podsFinished: metrics.counter({
      ...named("job_pods_finished_total", "Pods of Jobs that have finished and are counted.", [
        "completion_mode",
        "result",
      ]),
      stability: "STABLE",
    }),
    policyActions: metrics.counter({
      ...named(
        "pod_failures_handled_by_failure_policy_total",
        "Failed pods that a rule of a policy applied to.",
        ["action"],
      ),
      stability: "BETA",
    }),
    trackedPods: metrics.counter({
      ...named(
        "terminated_pods_tracking_finalizer_total",
        "Finished pods that were seen to have the tracking finalizer (add) or to lose it (delete).",
        ["event"],
      ),
      stability: "BETA",
    }),
    finishedIndexes: metrics.counter({
      ...named(
        "job_finished_indexes_total",
        "Indexes that have finished, by result and kind of back-off limit.",
        ["status", "backoffLimit"],
      ),
      stability: "ALPHA",
    }),
    podsCreated: metrics.counter({
      ...named("job_pods_creation_total", "Pods that were created for Jobs, or could not be, and why.", [
        "reason",
        "status",
      ]),
      stability: "ALPHA",
    }),
  };
}
