import type { Counter, Histogram, Metrics } from "../metrics/metrics.ts";
import type { Method } from "./transport.ts";

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/** The rest_client_* metrics, under upstream's names. `host` is the API server's host and port. */
export class RestMetrics {
  readonly #host: string;
  readonly #duration: Histogram;
  readonly #throttled: Histogram;
  readonly #requestSize: Histogram;
  readonly #responseSize: Histogram;
  readonly #results: Counter;
  readonly #retries: Counter;

  constructor(metrics: Metrics, host: string) {
    this.#host = host;
    const perVerb = { labels: ["verb", "host"], stability: "ALPHA" } as const;
    this.#duration = metrics.histogram({
      ...perVerb,
      name: "rest_client_request_duration_seconds",
      help: "Latency of requests in seconds, by verb and host.",
      buckets: SECONDS,
    });
    this.#throttled = metrics.histogram({
      ...perVerb,
      name: "rest_client_rate_limiter_duration_seconds",
      help: "Seconds that requests waited for the client's own rate limiter, by verb and host.",
      buckets: SECONDS,
    });
    this.#requestSize = metrics.histogram({
      ...perVerb,
      name: "rest_client_request_size_bytes",
      help: "Size of request bodies in bytes, by verb and host.",
      buckets: BYTES,
    });
    this.#responseSize = metrics.histogram({
      ...perVerb,
      name: "rest_client_response_size_bytes",
      help: "Size of response bodies in bytes, by verb and host.",
      buckets: BYTES,
    });
    this.#results = metrics.counter({
      name: "rest_client_requests_total",
      help: "HTTP requests sent, by status code, method and host.",
      labels: ["code", "method", "host"],
      stability: "ALPHA",
    });
    this.#retries = metrics.counter({
      name: "rest_client_request_retries_total",
      help: "HTTP requests sent again after a failure, by status code, verb and host.",
      labels: ["code", "verb", "host"],
      stability: "ALPHA",
    });
  }

  /** One attempt ended: with this status, or (undefined) without any answer. */
  attempt(method: Method, status: number | undefined, isRetry: boolean): void {
    const code = status === undefined ? "<error>" : String(status);
    this.#results.inc({ code, method, host: this.#host });
    if (isRetry) this.#retries.inc({ code, verb: method, host: this.#host });
  }

  throttled(method: Method, durationMs: number): void {
    this.#throttled.observe(durationMs / 1_000, { verb: method, host: this.#host });
  }

  request(method: Method, durationMs: number): void {
    this.#duration.observe(durationMs / 1_000, { verb: method, host: this.#host });
  }

  sent(method: Method, bytes: number): void {
    this.#requestSize.observe(bytes, { verb: method, host: this.#host });
  }

  received(method: Method, bytes: number): void {
    this.#responseSize.observe(bytes, { verb: method, host: this.#host });
  }
}
