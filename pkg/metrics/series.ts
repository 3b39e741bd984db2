import type { Counter, Gauge, Histogram, Labels } from "./metrics.ts";
import type { AllowedValues } from "./policy.ts";

/** One line of the exposition. */
export interface Sample {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a registry needs of a metric. */
export interface Family {
  samples(): Sample[];
  /** Drops the series; a metric without labels, which is one series, keeps it. */
  clear(): void;
}

interface SeriesOptions {
  readonly name: string;
  readonly labels: readonly string[];
  readonly allowed: AllowedValues | undefined;
  readonly onUnexpected: () => void;
}

/**
 * The series of one metric by label values. prom-client's own metrics hash the labels anew for every sample, bound or
 * not; here a bound series is a plain object, and an increment one addition.
 */
class SeriesMap<S> {
  readonly #options: SeriesOptions;
  readonly #sortedLabels: readonly string[];
  readonly #create: () => S;
  readonly #byKey = new Map<string, { readonly labels: Labels; readonly series: S }>();

  constructor(options: SeriesOptions, create: () => S) {
    this.#options = options;
    this.#sortedLabels = options.labels.toSorted();
    this.#create = create;
    // A metric without labels shows its zero from the start.
    if (options.labels.length === 0) this.get({});
  }

  get(given: Labels): S {
    const labels = this.#constrain(given);
    const key = this.#keyOf(labels);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known.series;
    const ordered = Object.fromEntries(this.#sortedLabels.map((name) => [name, labels[name] ?? ""]));
    const series = this.#create();
    this.#byKey.set(key, { labels: ordered, series });
    return series;
  }

  delete(labels: Labels): void {
    this.#byKey.delete(this.#keyOf(this.#constrain(labels)));
  }

  clear(): void {
    this.#byKey.clear();
    if (this.#sortedLabels.length === 0) this.get({});
  }

  dropLabelled(): void {
    if (this.#sortedLabels.length > 0) this.#byKey.clear();
  }

  flatMap(toSamples: (series: S, labels: Labels) => Sample[]): Sample[] {
    return [...this.#byKey.values()].flatMap(({ series, labels }) => toSamples(series, labels));
  }

  #keyOf(labels: Labels): string {
    let key = "";
    let count = 0;
    for (const name in labels) if (labels[name] !== undefined) count++;
    for (const name of this.#sortedLabels) {
      const value = labels[name];
      if (value === undefined) throw new Error(`metric ${this.#options.name}: label ${name} is missing`);
      key += `${value}\u0000`;
    }
    if (count !== this.#sortedLabels.length) {
      throw new Error(`metric ${this.#options.name} has the labels ${this.#sortedLabels.join(", ")}`);
    }
    return key;
  }

  #constrain(labels: Labels): Labels {
    const { allowed, onUnexpected } = this.#options;
    if (allowed === undefined) return labels;
    const constrained: Record<string, string> = { ...labels };
    for (const [name, values] of allowed) {
      const value = labels[name];
      if (value === undefined || values.has(value)) continue;
      constrained[name] = "unexpected";
      onUnexpected();
    }
    return constrained;
  }
}

class NumberSeries {
  value = 0;

  inc(amount = 1): void {
    if (amount < 0) throw new Error("a counter cannot decrease");
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }

  add(amount: number): void {
    this.value += amount;
  }
}

const none: Labels = {};

export class CounterFamily implements Counter, Family {
  readonly #name: string;
  readonly #series: SeriesMap<NumberSeries>;

  constructor(options: SeriesOptions) {
    this.#name = options.name;
    this.#series = new SeriesMap(options, () => new NumberSeries());
  }

  inc(labels: Labels = none, amount = 1): void {
    this.#series.get(labels).inc(amount);
  }

  with(labels: Labels): { inc(amount?: number): void } {
    return this.#series.get(labels);
  }

  clear(): void {
    this.#series.dropLabelled();
  }

  samples(): Sample[] {
    return this.#series.flatMap(({ value }, labels) => [{ metricName: this.#name, labels, value }]);
  }
}

export class GaugeFamily implements Gauge, Family {
  readonly #name: string;
  readonly #series: SeriesMap<NumberSeries>;

  constructor(options: SeriesOptions) {
    this.#name = options.name;
    this.#series = new SeriesMap(options, () => new NumberSeries());
  }

  set(value: number, labels: Labels = none): void {
    this.#series.get(labels).set(value);
  }

  add(amount: number, labels: Labels = none): void {
    this.#series.get(labels).add(amount);
  }

  remove(labels: Labels): void {
    this.#series.delete(labels);
  }

  reset(): void {
    this.#series.clear();
  }

  with(labels: Labels): { set(value: number): void; add(amount: number): void } {
    return this.#series.get(labels);
  }

  clear(): void {
    this.#series.dropLabelled();
  }

  samples(): Sample[] {
    return this.#series.flatMap(({ value }, labels) => [{ metricName: this.#name, labels, value }]);
  }
}

class HistogramSeries {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (bounds[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.sum += value;
  }

  samples(name: string, labels: Labels): Sample[] {
    const samples: Sample[] = [];
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const le = goFloat(this.#bounds[index] ?? Infinity);
      samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: total });
    }
    samples.push({ metricName: `${name}_sum`, labels, value: this.sum });
    samples.push({ metricName: `${name}_count`, labels, value: total });
    return samples;
  }
}

export class HistogramFamily implements Histogram, Family {
  readonly #name: string;
  readonly #series: SeriesMap<HistogramSeries>;

  constructor(options: SeriesOptions, buckets: readonly number[]) {
    this.#name = options.name;
    this.#series = new SeriesMap(options, () => new HistogramSeries(buckets));
  }

  observe(value: number, labels: Labels = none): void {
    this.#series.get(labels).observe(value);
  }

  with(labels: Labels): { observe(value: number): void } {
    return this.#series.get(labels);
  }

  clear(): void {
    this.#series.dropLabelled();
  }

  samples(): Sample[] {
    return this.#series.flatMap((series, labels) => series.samples(this.#name, labels));
  }
}

/** `le` is a label, compared as text, so bounds are written as Go writes them: 1e-08, 262144, 1.048576e+06. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "0", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
