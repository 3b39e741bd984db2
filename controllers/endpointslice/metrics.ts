import type { Counter, Gauge, Histogram, Metrics } from "../../pkg/metrics/metrics.ts";
import type { Filling } from "../../pkg/endpoints/slice-efficiency.ts";
import { SliceGauges } from "../../pkg/controller/endpoints/slice-gauges.ts";
import { FAMILIES, type Family } from "./address-families.ts";

const PREFIX = "endpoint_slice_controller";
/** 2, 4, 8 … */
const POWERS_OF_TWO = Array.from({ length: 15 }, (_, power) => 2 ** (power + 1));
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What can be seen of the slices from outside. */
export class SliceMetrics {
  readonly syncs: Counter;
  readonly added: Histogram;
  readonly removed: Histogram;
  readonly changedPerSync: Histogram;
  readonly #gauges: SliceGauges;
  readonly #preferences: Gauge;
  readonly #preferring = new Map<string, Set<string>>();

  constructor(metrics: Metrics, maxEndpoints: number) {
    this.#gauges = new SliceGauges(metrics, {
      prefix: PREFIX,
      stability: "BETA",
      endpointsPerSlice: maxEndpoints,
      leastSlices: 1,
    });
    const perSync = (name: string, help: string): Histogram =>
      metrics.histogram({ name: `${PREFIX}_${name}`, help, buckets: POWERS_OF_TWO, stability: "BETA" });
    this.added = perSync("endpoints_added_per_sync", "Endpoints that one sync of a Service added.");
    this.removed = perSync("endpoints_removed_per_sync", "Endpoints that one sync of a Service removed.");
    this.changedPerSync = metrics.histogram({
      name: `${PREFIX}_endpointslices_changed_per_sync`,
      help: "EndpointSlices that one sync of a Service wrote.",
      labels: ["topology", "traffic_distribution"],
      buckets: DEFAULT_BUCKETS,
      stability: "ALPHA",
    });
    this.syncs = metrics.counter({
      name: `${PREFIX}_syncs`,
      help: "Syncs by their result: success, stale or error.",
      labels: ["result"],
      stability: "ALPHA",
    });
    this.#preferences = metrics.gauge({
      name: `${PREFIX}_services_count_by_traffic_distribution`,
      help: "Services by their trafficDistribution.",
      labels: ["traffic_distribution"],
      stability: "BETA",
    });
  }

  get changes(): Counter {
    return this.#gauges.changes;
  }

  setFillings(serviceKey: string, family: Family, fillings: readonly Filling[]): void {
    this.#gauges.set(`${serviceKey} ${family}`, fillings);
  }

  dropFamily(serviceKey: string, family: Family): void {
    this.#gauges.delete(`${serviceKey} ${family}`);
  }

  setPreference(serviceKey: string, preference: string | undefined): void {
    for (const [each, services] of this.#preferring) {
      if (services.delete(serviceKey)) this.#preferences.set(services.size, { traffic_distribution: each });
    }
    if (preference === undefined) return;
    const services = this.#preferring.get(preference) ?? new Set<string>();
    this.#preferring.set(preference, services.add(serviceKey));
    this.#preferences.set(services.size, { traffic_distribution: preference });
  }

  forgetService(serviceKey: string): void {
    this.setPreference(serviceKey, undefined);
    for (const family of FAMILIES) this.dropFamily(serviceKey, family);
  }
}
