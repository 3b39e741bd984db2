import type { Metrics } from "../metrics/metrics.ts";

export interface ElectionMetrics {
  leading(isLeading: boolean): void;
  slowPath(): void;
}

export function electionMetrics(metrics: Metrics, name: string): ElectionMetrics {
  const status = metrics.gauge({
    name: "leader_election_master_status",
    help: "Whether this process leads by the lease of that name (1) or stands by (0).",
    labels: ["name"],
    stability: "ALPHA",
  });
  const slowPath = metrics.counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the lease first, because writing it outright did not succeed.",
    labels: ["name"],
    stability: "ALPHA",
  });
  return {
    leading: (isLeading) => status.set(isLeading ? 1 : 0, { name }),
    slowPath: () => slowPath.inc({ name }),
  };
}
