import type { Metrics } from "../../../pkg/metrics/metrics.ts";

/** 1 ms to 16 s, doubling. */
const DURATION_BUCKETS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

export interface AccessMetrics {
  /** `username` only with "success". */
  authentication(result: "success" | "error", durationMs: number, username?: string): void;
  authorization(result: "allowed" | "denied" | "no-opinion" | "error", durationMs: number): void;
}

export function accessMetrics(metrics: Metrics): AccessMetrics {
  const users = metrics.counter({
    name: "authenticated_user_requests",
    help: "Authenticated requests by user name, of which only well-known ones are shown.",
    labels: ["username"],
    stability: "ALPHA",
  });
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Requests whose user was asked for, by what came of it.",
    labels: ["result"],
    stability: "ALPHA",
  });
  const authenticationSeconds = metrics.histogram({
    name: "authentication_duration_seconds",
    help: "Time to find out the user of a request, by what came of it.",
    labels: ["result"],
    buckets: DURATION_BUCKETS,
    stability: "ALPHA",
  });
  const decisions = metrics.counter({
    name: "authorization_attempts_total",
    help: "Decisions whether a user may do what a request asks: 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ["result"],
    stability: "ALPHA",
  });
  const authorizationSeconds = metrics.histogram({
    name: "authorization_duration_seconds",
    help: "Time to decide whether a user may do what a request asks, by the decision.",
    labels: ["result"],
    buckets: DURATION_BUCKETS,
    stability: "ALPHA",
  });
  return {
    authentication: (result, durationMs, username) => {
      if (username !== undefined) users.inc({ username: shownUsername(username) });
      attempts.inc({ result });
      authenticationSeconds.observe(durationMs / 1_000, { result });
    },
    authorization: (result, durationMs) => {
      decisions.inc({ result });
      authorizationSeconds.observe(durationMs / 1_000, { result });
    },
  };
}

const WELL_KNOWN_USERS: ReadonlySet<string> = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

/** Names are many, label values must be few. */
function shownUsername(username: string): string {
  if (WELL_KNOWN_USERS.has(username)) return username;
  return username.includes("@") ? "email_id" : "other";
}
