import type { Metrics } from "../../pkg/metrics/metrics.ts";

const PREFIX = "resourcepoolstatusrequest_controller";
const FIRST_S = 0.001;
const BUCKETS = Array.from({ length: 15 }, (_, at) => FIRST_S * 2 ** at);

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
      buckets: BUCKETS,
      ...about,
    }),
  };
}
