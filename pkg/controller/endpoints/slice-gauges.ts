import { type Filling, SliceEfficiency } from "../../endpoints/slice-efficiency.ts";
import type { Counter, Gauge, Metrics, Stability } from "../../metrics/metrics.ts";

export interface SliceGaugesOptions {
  /** What the names of the metrics begin with. */
  readonly prefix: string;
  /** Of the gauges. */
  readonly stability: Stability;
  readonly endpointsPerSlice: number;
  /** 1 where an owner without endpoints has a placeholder. */
  readonly leastSlices: 0 | 1;
}

/** What metrics tell of the slices that a controller keeps: how many there are, should be, and were written. */
export class SliceGauges {
  /** By `operation`. */
  readonly changes: Counter;
  readonly #endpoints: Gauge;
  readonly #slices: Gauge;
  readonly #desiredSlices: Gauge;
  readonly #efficiency: SliceEfficiency;

  constructor(metrics: Metrics, { prefix, stability, endpointsPerSlice, leastSlices }: SliceGaugesOptions) {
    this.#efficiency = new SliceEfficiency(endpointsPerSlice, leastSlices);
    const gauge = (name: string, help: string): Gauge =>
      metrics.gauge({ name: `${prefix}_${name}`, help, stability });
    this.#endpoints = gauge("endpoints_desired", "Endpoints that there should be.");
    this.#slices = gauge("num_endpoint_slices", "EndpointSlices that there are.");
    this.#desiredSlices = gauge("desired_endpoint_slices", "EndpointSlices that would do if all were full.");
    this.changes = metrics.counter({
      name: `${prefix}_changes`,
      help: "EndpointSlices that were created, updated and deleted.",
      labels: ["operation"],
      stability: "ALPHA",
    });
  }

  /** How full the owner's slices are. */
  set(owner: string, fillings: readonly Filling[]): void {
    this.#efficiency.set(owner, fillings);
    this.#show();
  }

  delete(owner: string): void {
    this.#efficiency.delete(owner);
    this.#show();
  }

  #show(): void {
    const { endpoints, slices, desiredSlices } = this.#efficiency.totals();
    this.#endpoints.set(endpoints);
    this.#slices.set(slices);
    this.#desiredSlices.set(desiredSlices);
  }
}
