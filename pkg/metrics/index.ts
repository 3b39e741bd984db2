/*
 * Metrics in Prometheus' form, with Kubernetes' stability levels. Only `createMetrics` loads the library that keeps them.
 */
export {
  noMetrics,
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type Labels,
  type MetricOptions,
  type Metrics,
  type Stability,
} from "./metrics.ts";
export { createMetrics, type ExposedMetrics, type MetricsRegistries } from "./registry.ts";
export type { AllowedValues, MetricsConfig } from "./policy.ts";
export { doublingBuckets, growingBuckets } from "./buckets.ts";
