import type { Metric, Registry } from "prom-client";
import {
  noMetrics,
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type MetricOptions,
  type Metrics,
} from "./metrics.ts";
import { MetricsPolicy, type MetricsConfig } from "./policy.ts";
import { runtimeRegistry } from "./runtime.ts";
import { CounterFamily, GaugeFamily, HistogramFamily, type Family } from "./series.ts";

/** A registry as the scrape handler sees it. */
export interface ExposedMetrics extends Metrics {
  readonly contentType: string;
  /** The text exposition (version 0.0.4): families by name, those without series left out. */
  expose(): Promise<string>;
  /** Drops all series of metrics that have labels. A series that was bound before is counted no more. */
  reset(): void;
}

export interface MetricsRegistries {
  /** /metrics */
  readonly main: ExposedMetrics;
  /** /metrics/slis */
  readonly slis: ExposedMetrics;
  /** Adds the process_* and nodejs_* families of this process to the main registry. */
  collectRuntime(): void;
}

interface MetaMetrics {
  readonly registered: Counter;
  readonly hidden: Counter;
  readonly unexpected: Counter;
}

/** Both registries under one policy; they share the metrics about metrics, which are shown in the main one. */
export function createMetrics(config: MetricsConfig): MetricsRegistries {
  const policy = new MetricsPolicy(config);
  const main = new PrometheusMetrics(policy);
  const meta = registerMetaMetrics(main, policy);
  main.countInto(meta);
  const slis = new PrometheusMetrics(policy);
  slis.countInto(meta);
  return { main, slis, collectRuntime: () => main.collectRuntime() };
}

function registerMetaMetrics(main: Metrics, policy: MetricsPolicy): MetaMetrics {
  const registered = main.counter({
    name: "registered_metrics_total",
    help: "The count of registered metrics broken by stability level and deprecation version.",
    labels: ["stability_level", "deprecated_version"],
    stability: "BETA",
  });
  const disabled = main.counter({
    name: "disabled_metrics_total",
    help: "The count of disabled metrics.",
    stability: "BETA",
  });
  disabled.inc({}, policy.disabled.size);
  const hidden = main.counter({
    name: "hidden_metrics_total",
    help: "The count of hidden metrics.",
    stability: "BETA",
  });
  const unexpected = main.counter({
    name: "cardinality_enforcement_unexpected_categorizations_total",
    help: "The count of unexpected categorizations during cardinality enforcement.",
    stability: "ALPHA",
  });
  return { registered, hidden, unexpected };
}

type Kind = "counter" | "gauge" | "histogram";

interface Registered {
  /** What the metric was registered as, to find a second registration that differs. */
  readonly identity: string;
  readonly metric: unknown;
}

interface DescribedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: Kind;
  readonly get: () => Promise<object>;
}

/** What is counted is counted here; prom-client, which takes its time to load, writes it down when somebody asks for it. */
class PrometheusMetrics implements ExposedMetrics {
  readonly #policy: MetricsPolicy;
  #registry: Registry | undefined;
  #runtime: Promise<Registry> | undefined;
  /** What the registry has to be told of, as soon as there is one. */
  readonly #untold: DescribedMetric[] = [];
  readonly #known = new Map<string, Registered>();
  readonly #families = new Map<string, Family>();
  readonly #refreshes: (() => void | Promise<void>)[] = [];
  #meta: MetaMetrics | undefined;
  readonly #beforeMeta: ((meta: MetaMetrics) => void)[] = [];

  constructor(policy: MetricsPolicy) {
    this.#policy = policy;
  }

  get contentType(): string {
    return "text/plain; version=0.0.4; charset=utf-8";
  }

  /** From here on registrations are counted; those of the meta metrics themselves are made up for. */
  countInto(meta: MetaMetrics): void {
    this.#meta = meta;
    for (const count of this.#beforeMeta.splice(0)) count(meta);
  }

  counter(options: MetricOptions): Counter {
    return this.#register(
      "counter",
      options,
      noMetrics.counter(options),
      (series) => new CounterFamily(series),
    );
  }

  gauge(options: MetricOptions): Gauge {
    return this.#register("gauge", options, noMetrics.gauge(options), (series) => new GaugeFamily(series));
  }

  histogram(options: HistogramOptions): Histogram {
    const { buckets } = options;
    if (buckets.some((bound, index) => bound <= (buckets[index - 1] ?? -Infinity))) {
      throw new Error(`metric ${options.name}: buckets must increase`);
    }
    const create = (series: SeriesOptions): HistogramFamily => new HistogramFamily(series, buckets);
    return this.#register("histogram", options, noMetrics.histogram(options), create);
  }

  onCollect(refresh: () => void | Promise<void>): void {
    this.#refreshes.push(refresh);
  }

  /** Apart from the others, because prom-client's process_start_time_seconds gives way to Kubernetes'. */
  collectRuntime(): void {
    this.#runtime ??= runtimeRegistry();
  }

  async expose(): Promise<string> {
    for (const refresh of this.#refreshes) await refresh();
    const texts = new Map<string, string>();
    // All at once: one runtime metric collects for several, and some begin anew with every look.
    const ofRuntime = (await (await this.#runtime)?.metrics()) ?? "";
    for (const text of ofRuntime.trimEnd().split("\n\n")) {
      const name = /^# HELP (\S+)/.exec(text)?.[1];
      if (name !== undefined) texts.set(name, text);
    }
    const registry = await this.#told();
    for (const { name } of registry.getMetricsAsArray()) {
      if (this.#families.get(name)?.samples().length === 0) continue;
      texts.set(name, await registry.getSingleMetricAsString(name));
    }
    return [...texts]
      .toSorted(byName)
      .map(([, text]) => `${text}\n`)
      .join("");
  }

  reset(): void {
    for (const family of this.#families.values()) family.clear();
  }

  async #told(): Promise<Registry> {
    if (this.#registry === undefined) {
      const { Registry } = await import("prom-client");
      this.#registry ??= new Registry();
    }
    // prom-client reads nothing else of a metric; its types ask for its own classes.
    for (const described of this.#untold.splice(0))
      this.#registry.registerMetric(described as unknown as Metric);
    return this.#registry;
  }

  #register<M>(
    kind: Kind,
    options: MetricOptions,
    noop: M,
    create: (series: SeriesOptions) => Family & M,
  ): M {
    const identity = JSON.stringify([kind, options]);
    const known = this.#known.get(options.name);
    if (known !== undefined) {
      if (known.identity === identity) return known.metric as M;
      throw new Error(`metric ${options.name} is registered already, with other options`);
    }
    const shown = this.#policy.shows(options);
    const metric = shown ? this.#show(kind, options, create) : noop;
    this.#known.set(options.name, { identity, metric });
    this.#count((meta) => {
      if (shown) meta.registered.inc(registeredLabels(options));
      else meta.hidden.inc();
    });
    return metric;
  }

  #show<F extends Family>(kind: Kind, options: MetricOptions, create: (series: SeriesOptions) => F): F {
    const { name, labels = [] } = options;
    const allowed = this.#policy.allowedValues(name);
    const family = create({ name, labels, allowed, onUnexpected: () => this.#meta?.unexpected.inc() });
    const help = this.#policy.help(options);
    this.#untold.push({
      name,
      help,
      type: kind,
      get: async () => ({ name, help, type: kind, values: family.samples() }),
    });
    this.#families.set(name, family);
    return family;
  }

  #count(count: (meta: MetaMetrics) => void): void {
    if (this.#meta === undefined) this.#beforeMeta.push(count);
    else count(this.#meta);
  }
}

type SeriesOptions = ConstructorParameters<typeof CounterFamily>[0];

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function registeredLabels({ stability, deprecatedVersion }: MetricOptions): Record<string, string> {
  return { stability_level: stability, deprecated_version: deprecatedVersion ?? "" };
}
