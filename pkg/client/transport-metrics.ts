import type { Counter, Gauge, Metrics } from "../metrics/metrics.ts";

/** The rest_client_transport_* metrics: how many sets of connections there are, and how their trust is kept fresh. */
export class TransportMetrics {
  readonly #entries: Gauge;
  readonly #created: Counter;
  readonly #closed: Counter;
  readonly #caReloads: Counter;

  constructor(metrics: Metrics) {
    this.#entries = metrics.gauge({
      name: "rest_client_transport_cache_entries",
      help: "Transports (sets of connections of one identity) in use.",
      stability: "ALPHA",
    });
    this.#created = metrics.counter({
      name: "rest_client_transport_create_calls_total",
      help: "Clients made, by where their transport came from: hit (shared with others), miss (new).",
      labels: ["result"],
      stability: "ALPHA",
    });
    this.#caReloads = metrics.counter({
      name: "rest_client_transport_ca_reload_total",
      help: "Reloads of certificate authorities from files, by result and reason.",
      labels: ["result", "reason"],
      stability: "ALPHA",
    });
    // Upstream leaves unused transports to its garbage collector and counts that; here they are closed by hand.
    this.#closed = metrics.counter({
      name: "rest_client_transport_cache_gc_calls_total",
      help: "Transports that were given up, by result: deleted.",
      labels: ["result"],
      stability: "ALPHA",
    });
    this.#closed.inc({ result: "deleted" }, 0);
    const collected = metrics.counter({
      name: "rest_client_transport_cert_rotation_gc_calls_total",
      help: "Certificate watches ended by garbage collection: none in this implementation.",
      stability: "ALPHA",
    });
    collected.inc({}, 0);
  }

  made(): void {
    this.#created.inc({ result: "miss" });
    this.#entries.add(1);
  }

  closed(count: number): void {
    this.#closed.inc({ result: "deleted" }, count);
    this.#entries.add(-count);
  }

  shared(): void {
    this.#created.inc({ result: "hit" });
  }

  caReload(result: "success" | "failure", reason: "updated" | "unchanged" | "read_error" | "empty"): void {
    this.#caReloads.inc({ result, reason });
  }
}
