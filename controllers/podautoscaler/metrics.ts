import { growingBuckets } from "../../pkg/metrics/buckets.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";

/** What became of the number of replicas. */
export type Action = "scale_up" | "scale_down" | "none";
/** Whose fault it was: of the object, or of something else. */
export type Fault = "spec" | "internal" | "none";

export function autoscalerMetrics(metrics: Metrics) {
  const named = (name: string): string => `horizontal_pod_autoscaler_controller_${name}`;
  const buckets = growingBuckets(0.001, 2, 15);
  const ofSyncs = ["action", "error"];
  const ofMetrics = [...ofSyncs, "metric_type"];
  const syncs = metrics.counter({
    name: named("reconciliations_total"),
    help: "Syncs of autoscalers, by what they did and whose fault it was that they failed.",
    labels: ofSyncs,
    stability: "BETA",
  });
  const syncDuration = metrics.histogram({
    name: named("reconciliation_duration_seconds"),
    help: "How long a sync of an autoscaler takes.",
    labels: ofSyncs,
    buckets,
    stability: "BETA",
  });
  const computations = metrics.counter({
    name: named("metric_computation_total"),
    help: "Metrics that were looked at, by what they asked for and whose fault it was that they could not be had.",
    labels: ofMetrics,
    stability: "BETA",
  });
  const computationDuration = metrics.histogram({
    name: named("metric_computation_duration_seconds"),
    help: "How long it takes to look at one metric.",
    labels: ofMetrics,
    buckets,
    stability: "BETA",
  });
  const autoscalers = metrics.gauge({
    name: named("num_horizontal_pod_autoscalers"),
    help: "Autoscalers that there are.",
    stability: "ALPHA",
  });
  const desired = metrics.gauge({
    name: named("desired_replicas"),
    help: "How many replicas an autoscaler wants.",
    labels: ["namespace", "hpa_name"],
    stability: "ALPHA",
  });
  return {
    synced: (action: Action, error: Fault, durationMs: number): void => {
      syncs.inc({ action, error });
      syncDuration.observe(durationMs / 1_000, { action, error });
    },
    computed: (labels: { action: Action; error: Fault; metric_type: string }, durationMs: number): void => {
      computations.inc(labels);
      computationDuration.observe(durationMs / 1_000, labels);
    },
    counted: (difference: 1 | -1): void => autoscalers.add(difference),
    wants: (namespace: string, name: string, replicas: number): void =>
      desired.set(replicas, { namespace, hpa_name: name }),
    gone: (namespace: string, name: string): void => desired.remove({ namespace, hpa_name: name }),
  };
}
