import type { Metrics } from "../../metrics/metrics.ts";

const TOKEN_CACHE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface TokenCacheMetrics {
  asked(status: "hit" | "miss", durationMs: number): void;
  /** A request waits for an answer, until the function returned is called. */
  blocked(): () => void;
  /** An answer is being asked for, until the function returned is called. */
  fetching(): (status: "ok" | "error") => void;
}

export function tokenCacheMetrics(metrics: Metrics): TokenCacheMetrics {
  const labels = ["status"];
  const seconds = metrics.histogram({
    name: "authentication_token_cache_request_duration_seconds",
    help: "Time to look a token up, by whether it was known.",
    labels,
    buckets: TOKEN_CACHE_BUCKETS,
    stability: "ALPHA",
  });
  const requests = metrics.counter({
    name: "authentication_token_cache_request_total",
    help: "Tokens that were looked up, by whether they were known.",
    labels,
    stability: "ALPHA",
  });
  const fetches = metrics.counter({
    name: "authentication_token_cache_fetch_total",
    help: "Tokens that the API server was asked about, by whether it answered.",
    labels,
    stability: "ALPHA",
  });
  const active = metrics.gauge({
    name: "authentication_token_cache_active_fetch_count",
    help: "Questions about tokens that are under way, and requests that wait for them.",
    labels,
    stability: "ALPHA",
  });
  return {
    asked: (status, durationMs) => {
      requests.inc({ status });
      seconds.observe(durationMs / 1_000, { status });
    },
    blocked: () => {
      active.add(1, { status: "blocked" });
      return () => active.add(-1, { status: "blocked" });
    },
    fetching: () => {
      active.add(1, { status: "in_flight" });
      return (status) => {
        fetches.inc({ status });
        active.add(-1, { status: "in_flight" });
      };
    },
  };
}
