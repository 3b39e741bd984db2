import { SliceGauges } from "../../pkg/controller/endpoints/slice-gauges.ts";
import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import type { Histogram, Metrics } from "../../pkg/metrics/metrics.ts";

const PREFIX = "endpoint_slice_mirroring_controller";

/** What can be seen of mirroring from outside. */
export class MirrorMetrics {
  readonly added: Histogram;
  readonly updated: Histogram;
  readonly removed: Histogram;
  readonly skipped: Histogram;
  readonly seconds: Histogram;
  readonly slices: SliceGauges;

  constructor(metrics: Metrics, maxPerSubset: number) {
    this.slices = new SliceGauges(metrics, {
      prefix: PREFIX,
      stability: "ALPHA",
      endpointsPerSlice: maxPerSubset,
      leastSlices: 0,
    });
    const histogram = (name: string, help: string, first: number): Histogram =>
      metrics.histogram({
        name: `${PREFIX}_${name}`,
        help,
        buckets: doublingBuckets(first, 15),
        stability: "ALPHA",
      });
    this.added = histogram("endpoints_added_per_sync", "Endpoints that one sync added.", 2);
    this.updated = histogram("endpoints_updated_per_sync", "Endpoints that one sync changed.", 2);
    this.removed = histogram("endpoints_removed_per_sync", "Endpoints that one sync removed.", 2);
    this.skipped = histogram(
      "addresses_skipped_per_sync",
      "Addresses that one sync left out, as they are none or too many.",
      2,
    );
    this.seconds = histogram("endpoints_sync_duration", "How long a sync takes, in seconds.", 0.001);
  }
}
