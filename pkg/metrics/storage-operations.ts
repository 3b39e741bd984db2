import type { Histogram, Metrics } from "./metrics.ts";

export const STORAGE_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** Of all controllers that have volume plugins. upstream: pkg/volume/util/metrics.go#StorageOperationMetric */
export function storageOperations(metrics: Metrics): Histogram {
  return metrics.histogram({
    name: "storage_operation_duration_seconds",
    help: "How long operations of volume plugins take.",
    labels: ["volume_plugin", "operation_name", "status", "migrated"],
    buckets: STORAGE_SECONDS,
    stability: "ALPHA",
  });
}
