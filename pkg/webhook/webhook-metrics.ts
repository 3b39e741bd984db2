import type { Clock } from "../clock/clock.ts";
import type { Metrics } from "../metrics/metrics.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

/** Under the names that dashboards of controller-runtime know. */
export class WebhookMetrics {
  readonly #total;
  readonly #seconds;
  readonly #inFlight;
  readonly #clock: Clock;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const stability = "ALPHA";
    this.#total = metrics.counter({
      name: "controller_runtime_webhook_requests_total",
      help: "Requests of API servers, by webhook and HTTP status.",
      labels: ["webhook", "code"],
      stability,
    });
    this.#seconds = metrics.histogram({
      name: "controller_runtime_webhook_latency_seconds",
      help: "Duration of requests of API servers, by webhook.",
      labels: ["webhook"],
      buckets: SECONDS,
      stability,
    });
    this.#inFlight = metrics.gauge({
      name: "controller_runtime_webhook_requests_in_flight",
      help: "Requests of API servers that are being answered, by webhook.",
      labels: ["webhook"],
      stability,
    });
  }

  /** Counts one request while it is answered. */
  async counted<T extends { readonly status: number }>(webhook: string, work: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    this.#inFlight.add(1, { webhook });
    try {
      const reply = await work();
      this.#total.inc({ webhook, code: String(reply.status) });
      return reply;
    } finally {
      this.#inFlight.add(-1, { webhook });
      this.#seconds.observe((this.#clock.monotonicMs() - startMs) / 1_000, { webhook });
    }
  }
}
