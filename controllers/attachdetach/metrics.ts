import type { Metrics } from "../../pkg/metrics/metrics.ts";
import { storageOperations } from "../../pkg/metrics/storage-operations.ts";

export function attachDetachMetrics(metrics: Metrics) {
  return {
    forcedDetaches: metrics.counter({
      // upstream: the name says it twice.
      name: "attach_detach_controller_attachdetach_controller_forced_detaches",
      help: "Volumes that were detached though their nodes had not let go of them.",
      labels: ["reason"],
      stability: "ALPHA",
    }),
    operations: storageOperations(metrics),
    totalVolumes: metrics.gauge({
      name: "attachdetach_controller_total_volumes",
      help: "Volumes that are to be attached, and those that are.",
      labels: ["plugin_name", "state"],
      stability: "ALPHA",
    }),
    inUse: metrics.gauge({
      name: "storage_count_attachable_volumes_in_use",
      help: "Volumes of the pods of a node.",
      labels: ["node", "volume_plugin"],
      stability: "ALPHA",
    }),
  };
}
