import type { Metrics } from "./metrics.ts";

export interface BuildInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  /** The label is called go_version, whatever the language. */
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The version that the binary has, the one that it emulates, and the oldest that it works with: "1.36". */
export interface CompatibilityVersions {
  readonly binary: string;
  readonly emulation: string;
  readonly minCompatibility: string;
}

export function recordBuildInfo(metrics: Metrics, info: BuildInfo): void {
  const gauge = metrics.gauge({
    name: "kubernetes_build_info",
    help: "Always 1; the labels tell the version and the build.",
    labels: [
      "major",
      "minor",
      "git_version",
      "git_commit",
      "git_tree_state",
      "build_date",
      "go_version",
      "compiler",
      "platform",
    ],
    stability: "BETA",
  });
  gauge.set(1, {
    major: info.major,
    minor: info.minor,
    git_version: info.gitVersion,
    git_commit: info.gitCommit,
    git_tree_state: info.gitTreeState,
    build_date: info.buildDate,
    go_version: info.goVersion,
    compiler: info.compiler,
    platform: info.platform,
  });
}

export function recordVersionInfo(metrics: Metrics, versions: CompatibilityVersions): void {
  const gauge = metrics.gauge({
    name: "version_info",
    help: "Always 1; the labels tell the compatibility versions of the component.",
    labels: ["component", "binary", "emulation", "min_compat"],
    stability: "ALPHA",
  });
  const { binary, emulation, minCompatibility } = versions;
  gauge.set(1, { component: "kube", binary, emulation, min_compat: minCompatibility });
}

/** `stage` is "ALPHA", "BETA", "DEPRECATED" or, for general availability, "". */
export function recordFeature(metrics: Metrics, name: string, stage: string, enabled: boolean): void {
  const gauge = metrics.gauge({
    name: "kubernetes_feature_enabled",
    help: "Whether a feature gate is on (1) or off (0), and the stage of the feature.",
    labels: ["name", "stage"],
    stability: "BETA",
  });
  gauge.set(enabled ? 1 : 0, { name, stage });
}

/** Scrapers tell restarts by it, so every registry has it. */
export function recordProcessStart(metrics: Metrics, startMs: number): void {
  const gauge = metrics.gauge({
    name: "process_start_time_seconds",
    help: "Start time of the process since unix epoch in seconds.",
    stability: "ALPHA",
  });
  gauge.set(startMs / 1_000);
}

/** Records the outcome of one health check; `type` is "healthz", "livez" or "readyz". */
export type ObserveHealthcheck = (name: string, type: string, healthy: boolean) => void;

/** For the registry of /metrics/slis. */
export function healthcheckMetrics(metrics: Metrics): ObserveHealthcheck {
  const state = metrics.gauge({
    name: "kubernetes_healthcheck",
    help: "The result of one health check: 1 is healthy, 0 is not.",
    labels: ["name", "type"],
    stability: "STABLE",
  });
  const total = metrics.counter({
    name: "kubernetes_healthchecks_total",
    help: "The results of all health checks.",
    labels: ["name", "type", "status"],
    stability: "STABLE",
  });
  return (name, type, healthy) => {
    state.set(healthy ? 1 : 0, { name, type });
    total.inc({ name, type, status: healthy ? "success" : "error" });
  };
}
