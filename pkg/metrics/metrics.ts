export type Stability = "INTERNAL" | "ALPHA" | "BETA" | "STABLE";
export type Labels = Readonly<Record<string, string>>;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly stability: Stability;
  /** "1.36.0": shown as deprecated from then on, and hidden when the period of its stability level is over. */
  readonly deprecatedVersion?: string;
}
export interface HistogramOptions extends MetricOptions {
  readonly buckets: readonly number[];
}

export interface Counter {
  /** Adds `amount` (default 1) to the series with these labels. */
  inc(labels?: Labels, amount?: number): void;
  /** The same series bound once: cheap on hot paths. */
  with(labels: Labels): { inc(amount?: number): void };
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  add(amount: number, labels?: Labels): void;
  remove(labels: Labels): void;
  /** Drops every series. */
  reset(): void;
  with(labels: Labels): { set(value: number): void; add(amount: number): void };
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
  with(labels: Labels): { observe(value: number): void };
}

/** A registry of metrics. Asking twice for one name gives the same metric; other options under it are an error. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /** Called before each scrape, to refresh gauges that are costly to keep current. */
  onCollect(refresh: () => void | Promise<void>): void;
}

const nothing = (): void => undefined;

/** Counts nothing: for tests and tools. */
export const noMetrics: Metrics = {
  counter: () => ({ inc: nothing, with: () => ({ inc: nothing }) }),
  gauge: () => ({
    set: nothing,
    add: nothing,
    remove: nothing,
    reset: nothing,
    with: () => ({ set: nothing, add: nothing }),
  }),
  histogram: () => ({ observe: nothing, with: () => ({ observe: nothing }) }),
  onCollect: nothing,
};
