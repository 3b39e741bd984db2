import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import type { Counter, Metrics, Stability } from "../../pkg/metrics/metrics.ts";

const BY_SYNC = ["completion_mode", "result", "action"];
const BY_RESULT = ["completion_mode", "result"];

export function jobMetrics(metrics: Metrics) {
  const named = (stability: Stability, name: string, help: string, labels: readonly string[]) => ({
    name: `job_controller_${name}`,
    help,
    labels,
    stability,
  });
  const counter = (...told: Parameters<typeof named>): Counter => metrics.counter(named(...told));
  return {
    syncSeconds: metrics.histogram({
      ...named("STABLE", "job_sync_duration_seconds", "Seconds that one look at a Job took.", BY_SYNC),
      buckets: doublingBuckets(0.004, 15),
    }),
    syncs: counter("STABLE", "job_syncs_total", "Looks at Jobs.", BY_SYNC),
    jobsFinished: counter("STABLE", "jobs_finished_total", "Jobs that have finished.", [
      ...BY_RESULT,
      "reason",
    ]),
    externalJobs: counter(
      "ALPHA",
      "jobs_by_external_controller_total",
      "Jobs that another controller manages.",
      ["controller_name"],
    ),
    podsFinished: counter(
      "STABLE",
      "job_pods_finished_total",
      "Pods of Jobs that have finished and are counted.",
      BY_RESULT,
    ),
    policyActions: counter(
      "BETA",
      "pod_failures_handled_by_failure_policy_total",
      "Failed pods that a rule of a policy applied to.",
      ["action"],
    ),
    trackedPods: counter(
      "BETA",
      "terminated_pods_tracking_finalizer_total",
      "Finished pods that were seen to have the tracking finalizer (add) or to lose it (delete).",
      ["event"],
    ),
    finishedIndexes: counter(
      "ALPHA",
      "job_finished_indexes_total",
      "Indexes that have finished, by result and kind of back-off limit.",
      ["status", "backoffLimit"],
    ),
    podsCreated: counter(
      "ALPHA",
      "job_pods_creation_total",
      "Pods that were created for Jobs, or could not be, and why.",
      ["reason", "status"],
    ),
  };
}
