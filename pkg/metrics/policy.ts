import type { MetricOptions, Stability } from "./metrics.ts";

/** What the flags of component-base say about metrics. */
export interface MetricsConfig {
  /** The Kubernetes version whose deprecations apply: "1.36.4". */
  readonly version: string;
  /** --disabled-metrics: full names; stronger than showing hidden metrics. */
  readonly disabled?: readonly string[];
  /** --show-hidden-metrics-for-version: "1.35", the previous minor version, or empty. */
  readonly showHiddenForVersion?: string;
  /** --allow-metric-labels, or the content of its manifest: "metric,label" → "value,value". */
  readonly allowLabels?: Readonly<Record<string, string>>;
}

/** The values that a label may have, by label. Others are counted and shown as "unexpected". */
export type AllowedValues = ReadonlyMap<string, ReadonlySet<string>>;

const metricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelName = "[a-zA-Z_][a-zA-Z0-9_]*";

/** One message per fault, in upstream's words; empty when all is well. */
export function validateMetricsConfig(config: MetricsConfig): readonly string[] {
  const errors: string[] = [];
  const { major, minor } = parseVersion(config.version);
  const shown = config.showHiddenForVersion ?? "";
  const previous = `${major}.${minor - 1}`;
  if (shown !== "" && shown !== previous) {
    errors.push(
      `metrics.showHiddenMetricsForVersion: Invalid value: ${JSON.stringify(shown)}: must be omitted or have the value '${previous}'; only the previous minor version is allowed`,
    );
  }
  for (const name of config.disabled ?? []) {
    if (new RegExp(`^${metricName}$`).test(name)) continue;
    errors.push(
      `metrics.disabledMetrics: Invalid value: ${JSON.stringify(config.disabled)}: must be fully qualified metric names matching "^${metricName}$", got ${JSON.stringify(name)}`,
    );
  }
  const keys = Object.keys(config.allowLabels ?? {});
  if (keys.some((key) => !new RegExp(`^${metricName},${labelName}$`).test(key))) {
    errors.push(
      `metrics.allowListMapping: Invalid value: ${JSON.stringify(config.allowLabels)}: must have keys with format \`metricName,labelName\` where metricName matches "${metricName}" and labelName matches "${labelName}"`,
    );
  }
  return errors;
}

/** Decides which metrics exist, and which values their labels may have. */
export class MetricsPolicy {
  readonly disabled: ReadonlySet<string>;
  readonly #version: Version;
  readonly #showHidden: boolean;
  readonly #allowed = new Map<string, Map<string, ReadonlySet<string>>>();

  constructor(config: MetricsConfig) {
    this.#version = parseVersion(config.version);
    this.#showHidden = (config.showHiddenForVersion ?? "") !== "";
    this.disabled = new Set((config.disabled ?? []).filter((name) => name !== ""));
    for (const [key, values] of Object.entries(config.allowLabels ?? {})) {
      const [metric = "", label = ""] = key.split(",");
      const labels = this.#allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
      this.#allowed.set(metric, labels.set(label, new Set(values.split(","))));
    }
  }

  shows(options: MetricOptions): boolean {
    if (this.disabled.has(options.name)) return false;
    if (options.deprecatedVersion === undefined || this.#showHidden) return true;
    return !isHidden(options.stability, this.#version, parseVersion(options.deprecatedVersion));
  }

  allowedValues(metric: string): AllowedValues | undefined {
    return this.#allowed.get(metric);
  }

  /** With the stability level and the deprecation in front, as users of Kubernetes' metrics know it. */
  help(options: MetricOptions): string {
    const since = options.deprecatedVersion;
    const deprecated = since !== undefined && !isBefore(this.#version, parseVersion(since));
    return `[${options.stability}] ${deprecated ? `(Deprecated since ${since}) ` : ""}${options.help}`;
  }
}

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly alpha0: boolean;
}

function parseVersion(text: string): Version {
  const match = /^v?(\d+)\.(\d+)\./.exec(text);
  if (match === null) throw new Error(`not a version: ${JSON.stringify(text)}`);
  return { major: Number(match[1]), minor: Number(match[2]), alpha0: text.includes("alpha.0") };
}

function isBefore(version: Version, other: Version): boolean {
  return version.major === other.major ? version.minor < other.minor : version.major < other.major;
}

/** Minor releases for which a deprecated metric is still shown. */
const periods: Readonly<Record<Stability, number>> = { STABLE: 3, BETA: 1, ALPHA: 0, INTERNAL: 0 };

function isHidden(stability: Stability, current: Version, deprecated: Version): boolean {
  if (deprecated.major !== current.major) return deprecated.major < current.major;
  const hiddenFrom = deprecated.minor + periods[stability];
  // The first alpha of a release still shows what that release will hide.
  return hiddenFrom < current.minor || (hiddenFrom === current.minor && !current.alpha0);
}
