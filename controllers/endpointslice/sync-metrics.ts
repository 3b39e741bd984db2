import type { Counter, Gauge, Histogram, Metrics } from "../../pkg/metrics/metrics.ts";
import { type Filling, SliceEfficiency } from "../../pkg/endpoints/slice-efficiency.ts";
import { FAMILIES, type Family } from "./address-families.ts";

const PREFIX = "endpoint_slice_controller";
/** 2, 4, 8 … */
const POWERS_OF_TWO = Array.from({ length: 15 }, (_, power) => 2 ** (power + 1));
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What can be seen of the slices from outside. */
export class SliceMetrics {
  readonly syncs: Counter;
  readonly changes: Counter;
  readonly added: Histogram;
  readonly removed: Histogram;
  readonly changedPerSync: Histogram;
  readonly #endpoints: Gauge;
  readonly #slices: Gauge;
  readonly #desiredSlices: Gauge;
  readonly #preferences: Gauge;
  readonly #efficiency: SliceEfficiency;
  readonly #preferring = new Map<string, Set<string>>();

  constructor(metrics: Metrics, maxEndpoints: number) {
    this.#efficiency = new SliceEfficiency(maxEndpoints, 1);
    const perSync = (name: string, help: string): Histogram =>
      metrics.histogram({ name: `${PREFIX}_${name}`, help, buckets: POWERS_OF_TWO, stability: "BETA" });
    const gauge = (name: string, help: string): Gauge =>
      metrics.gauge({ name: `${PREFIX}_${name}`, help, stability: "BETA" });
    this.added = perSync("endpoints_added_per_sync", "Endpoints that one sync of a Service added.");
    this.removed = perSync("endpoints_removed_per_sync", "Endpoints that one sync of a Service removed.");
    this.#endpoints = gauge("endpoints_desired", "Endpoints that there should be.");
    this.#slices = gauge("num_endpoint_slices", "EndpointSlices that there are.");
    this.#desiredSlices = gauge("desired_endpoint_slices", "EndpointSlices that would do if all were full.");
    this.changes = metrics.counter({
      name: `${PREFIX}_changes`,
      help: "EndpointSlices that were created, updated and deleted.",
      labels: ["operation"],
      stability: "ALPHA",
    });
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

  setFillings(serviceKey: string, family: Family, fillings: readonly Filling[]): void {
    this.#efficiency.set(`${serviceKey} ${family}`, fillings);
    this.#showTotals();
  }

  dropFamily(serviceKey: string, family: Family): void {
    this.#efficiency.delete(`${serviceKey} ${family}`);
    this.#showTotals();
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

  #showTotals(): void {
    const { endpoints, slices, desiredSlices } = this.#efficiency.totals();
    this.#endpoints.set(endpoints);
    this.#slices.set(slices);
    this.#desiredSlices.set(desiredSlices);
  }
}
