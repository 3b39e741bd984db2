import { type Filling, SliceEfficiency } from "../../pkg/endpoints/slice-efficiency.ts";
import type { Counter, Gauge, Histogram, Metrics } from "../../pkg/metrics/metrics.ts";

const PREFIX = "endpoint_slice_mirroring_controller";
const powersOfTwo = (first: number): readonly number[] =>
  Array.from({ length: 15 }, (_, power) => Number((first * 2 ** power).toFixed(3)));

/** What can be seen of mirroring from outside. */
export class MirrorMetrics {
  readonly added: Histogram;
  readonly updated: Histogram;
  readonly removed: Histogram;
  readonly skipped: Histogram;
  readonly seconds: Histogram;
  readonly changes: Counter;
  readonly #endpoints: Gauge;
  readonly #slices: Gauge;
  readonly #desiredSlices: Gauge;
  readonly #efficiency: SliceEfficiency;

  constructor(metrics: Metrics, maxPerSubset: number) {
    this.#efficiency = new SliceEfficiency(maxPerSubset, 0);
    const histogram = (name: string, help: string, first: number): Histogram =>
      metrics.histogram({ name: `${PREFIX}_${name}`, help, buckets: powersOfTwo(first), stability: "ALPHA" });
    const gauge = (name: string, help: string): Gauge =>
      metrics.gauge({ name: `${PREFIX}_${name}`, help, stability: "ALPHA" });
    this.added = histogram("endpoints_added_per_sync", "Endpoints that one sync added.", 2);
    this.updated = histogram("endpoints_updated_per_sync", "Endpoints that one sync changed.", 2);
    this.removed = histogram("endpoints_removed_per_sync", "Endpoints that one sync removed.", 2);
    this.skipped = histogram(
      "addresses_skipped_per_sync",
      "Addresses that one sync left out, as they are none or too many.",
      2,
    );
    this.seconds = histogram("endpoints_sync_duration", "How long a sync takes, in seconds.", 0.001);
    this.#endpoints = gauge("endpoints_desired", "Endpoints that there should be.");
    this.#slices = gauge("num_endpoint_slices", "EndpointSlices that there are.");
    this.#desiredSlices = gauge("desired_endpoint_slices", "EndpointSlices that would do if all were full.");
    this.changes = metrics.counter({
      name: `${PREFIX}_changes`,
      help: "EndpointSlices that were created, updated and deleted.",
      labels: ["operation"],
      stability: "ALPHA",
    });
  }

  setFillings(key: string, fillings: readonly Filling[]): void {
    this.#efficiency.set(key, fillings);
    this.#showTotals();
  }

  forget(key: string): void {
    this.#efficiency.delete(key);
    this.#showTotals();
  }

  #showTotals(): void {
    const { endpoints, slices, desiredSlices } = this.#efficiency.totals();
    this.#endpoints.set(endpoints);
    this.#slices.set(slices);
    this.#desiredSlices.set(desiredSlices);
  }
}
