import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";

const PREFIX = "resourcepoolstatusrequest_controller";

export function requestMetrics(metrics: Metrics) {
  const about = { labels: ["driver_name"], stability: "ALPHA" } as const;
  return {
    processed: metrics.counter({
      name: `${PREFIX}_requests_processed_total`,
      help: "Requests for the status of pools that were answered, or tried to be.",
      ...about,
    }),
    failed: metrics.counter({
      name: `${PREFIX}_request_processing_errors_total`,
      help: "Requests for the status of pools whose answer could not be written.",
      ...about,
    }),
    durations: metrics.histogram({
      name: `${PREFIX}_request_processing_duration_seconds`,
      help: "How long it took to answer a request for the status of pools.",
      buckets: doublingBuckets(0.001, 15),
      ...about,
    }),
  };
}
