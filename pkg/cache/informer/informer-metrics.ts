import type { Resource } from "../../api/resource.ts";
import type { Gauge, Histogram, Labels, Metrics } from "../../metrics/metrics.ts";

const LABELS = ["name", "group", "version", "resource"];
const LATENCY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** The most digits of which every number is an exact double. upstream: thread_safe_store.go#parseRVForMetricsWithTruncation */
const EXACT_DIGITS = 15;

interface Measured {
  readonly queued: number;
  readonly resourceVersion: string;
}

/** The metrics of all informers of one factory; what informers are named is up to the caller. */
export class InformerMetrics {
  readonly #name: string;
  readonly #queued: Gauge;
  readonly #latency: Histogram;
  readonly #version: Gauge;
  readonly #measured = new Map<string, { readonly measure: () => void; readonly labels: Labels }>();

  constructor(metrics: Metrics, name: string) {
    this.#name = name;
    this.#queued = metrics.gauge({
      name: "informer_queued_items",
      help: "Number of changes that wait in the queue of an informer",
      labels: LABELS,
      stability: "ALPHA",
    });
    this.#latency = metrics.histogram({
      name: "informer_processing_latency_seconds",
      help: "Time to apply one batch of changes to the store of an informer",
      labels: LABELS,
      buckets: LATENCY_BUCKETS,
      stability: "ALPHA",
    });
    this.#version = metrics.gauge({
      name: "informer_store_resource_version",
      help: "Resource version of the store of an informer (its last 15 digits)",
      labels: LABELS,
      stability: "ALPHA",
    });
    metrics.onCollect(() => {
      for (const { measure } of this.#measured.values()) measure();
    });
  }

  /** Gauges are read at each scrape, so that they cost nothing per event. Returns the observer of batches. */
  track(informer: string, resource: Resource, measured: () => Measured): (tookMs: number) => void {
    const labels = {
      name: this.#name,
      group: resource.group,
      version: resource.version,
      resource: resource.plural,
    };
    const queued = this.#queued.with(labels);
    const version = this.#version.with(labels);
    const latency = this.#latency.with(labels);
    const measure = (): void => {
      const now = measured();
      queued.set(now.queued);
      if (now.resourceVersion !== "") version.set(Number(now.resourceVersion.slice(-EXACT_DIGITS)));
    };
    this.#measured.set(informer, { measure, labels });
    return (tookMs) => latency.observe(tookMs / 1_000);
  }

  forget(informer: string): void {
    const labels = this.#measured.get(informer)?.labels;
    this.#measured.delete(informer);
    if (labels === undefined) return;
    this.#queued.remove(labels);
    this.#version.remove(labels);
  }
}
