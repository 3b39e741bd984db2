import { X509Certificate } from "node:crypto";
import type { Clock } from "../../clock/clock.ts";
import type { Counter, Histogram, Metrics } from "../../metrics/metrics.ts";

const ROTATION_AGE_SECONDS = [
  600, 1_800, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

/** The rest_client_exec_plugin_* metrics. They are there without a plugin too: the time to live is +Inf then. */
export class ExecMetrics {
  readonly #clock: Clock;
  readonly #calls: Counter;
  readonly #rotationAge: Histogram;
  #certificate: X509Certificate | undefined;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#calls = metrics.counter({
      name: "rest_client_exec_plugin_call_total",
      help: "Runs of the exec credential plugin, by exit code and by how they ended.",
      labels: ["code", "call_status"],
      stability: "ALPHA",
    });
    this.#rotationAge = metrics.histogram({
      name: "rest_client_exec_plugin_certificate_rotation_age",
      help: "Age in seconds at which client certificates of the exec plugin were replaced.",
      buckets: ROTATION_AGE_SECONDS,
      stability: "ALPHA",
    });
    const timeToLive = metrics.gauge({
      name: "rest_client_exec_plugin_ttl_seconds",
      help: "Seconds until the exec plugin's client certificate expires (negative: it has); +Inf without one.",
      stability: "ALPHA",
    });
    metrics.onCollect(() => timeToLive.set(this.#secondsToLive()));
  }

  called(error: { readonly code?: string | number | null } | null): void {
    const code = typeof error?.code === "number" ? String(error.code) : error === null ? "0" : "1";
    const failed = error?.code === "ENOENT" ? "plugin_not_found_error" : "plugin_execution_error";
    this.#calls.inc({ code, call_status: error === null ? "no_error" : failed });
  }

  issued(certificate: Buffer | undefined): void {
    const next = certificate === undefined ? undefined : new X509Certificate(certificate);
    const old = this.#certificate;
    if (old !== undefined && old.fingerprint256 !== next?.fingerprint256) {
      this.#rotationAge.observe((this.#clock.nowMs() - old.validFromDate.getTime()) / 1_000);
    }
    this.#certificate = next;
  }

  #secondsToLive(): number {
    if (this.#certificate === undefined) return Infinity;
    return (this.#certificate.validToDate.getTime() - this.#clock.nowMs()) / 1_000;
  }
}
