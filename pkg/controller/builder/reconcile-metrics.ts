import type { Metrics } from "../../metrics/metrics.ts";

const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export type ReconcileOutcome = "success" | "error" | "requeue_after";

/** The metrics of one controller, under the names that dashboards of controller-runtime know. */
export interface ReconcileMetrics {
  began(): void;
  ended(outcome: ReconcileOutcome, durationMs: number): void;
  /** A failure after which nothing is tried again. */
  terminal(): void;
  timedOut(): void;
}

export function reconcileMetrics(metrics: Metrics, controller: string, workers: number): ReconcileMetrics {
  const labels = ["controller"];
  const stability = "ALPHA";
  const counter = (name: string, help: string): { inc(amount?: number): void } => {
    const bound = metrics.counter({ name, help, labels, stability }).with({ controller });
    bound.inc(0);
    return bound;
  };
  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciles, by controller and result: success, error, requeue, requeue_after.",
    labels: [...labels, "result"],
    stability,
  });
  for (const result of ["success", "error", "requeue", "requeue_after"]) total.inc({ controller, result }, 0);
  const errors = counter(
    "controller_runtime_reconcile_errors_total",
    "Reconciles that failed, by controller.",
  );
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciles that failed and are not tried again, by controller.",
  );
  const timeouts = counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciles whose time was over, by controller.",
  );
  const seconds = metrics
    .histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "Duration of reconciles, by controller.",
      labels,
      buckets: SECONDS,
      stability,
    })
    .with({ controller });
  const active = metrics
    .gauge({
      name: "controller_runtime_active_workers",
      help: "Workers that are busy, by controller.",
      labels,
      stability,
    })
    .with({ controller });
  metrics
    .gauge({
      name: "controller_runtime_max_concurrent_reconciles",
      help: "Workers that there are, by controller.",
      labels,
      stability,
    })
    .set(workers, { controller });
  active.set(0);
  return {
    began: () => active.add(1),
    ended: (outcome, durationMs) => {
      active.add(-1);
      total.inc({ controller, result: outcome });
      if (outcome === "error") errors.inc();
      seconds.observe(durationMs / 1_000);
    },
    terminal: () => terminal.inc(),
    timedOut: () => timeouts.inc(),
  };
}
