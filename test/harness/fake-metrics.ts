import type { Json } from "../../pkg/api/json.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { type FakeAnswer, FakeTransport } from "./fake-transport.ts";

const METRICS_PATH = /^\/apis\/(?:custom\.|external\.)?metrics\.k8s\.io(?:\/|$)/;

/** Answers with what a test says there is of metrics, beside a server that has none. */
export class FakeMetrics {
  /** Thousandths of a core, by name of the pod; what is missing was not measured. */
  readonly cpu = new Map<string, number>();
  /** Values in thousandths, by the end of the path: `pods/*` and the metric, `services/web/qps`. */
  readonly custom = new Map<string, Readonly<Record<string, number>>>();
  readonly external = new Map<string, readonly number[]>();
  /** Answers everything with this, when set. */
  outage: FakeAnswer | undefined;
  readonly #nowMs: () => number;
  readonly #transport: FakeTransport;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#transport = new FakeTransport(({ path }) => this.#answer(path));
  }

  /** The server with these metrics beside it. */
  over(server: Transport): Transport {
    return {
      send: async (request, signal) =>
        METRICS_PATH.test(request.path)
          ? this.#transport.send(request, signal)
          : server.send(request, signal),
      close: async () => server.close(),
    };
  }

  /** "GET path?query" of each request since the last call. */
  takeRequests(): readonly string[] {
    const { lines } = this.#transport;
    this.#transport.requests.length = 0;
    return lines;
  }

  #answer(path: string): FakeAnswer {
    if (this.outage !== undefined) return this.outage;
    const [, , group, version, , namespace, ...rest] = path.split("/");
    if (version === undefined) return { body: groupDocument(group ?? "") };
    if (group === "metrics.k8s.io") return { body: list(this.#usage(namespace ?? "")) };
    const end = decodeURIComponent(rest.join("/"));
    if (group === "external.metrics.k8s.io") return { body: list(this.#externalValues(end)) };
    return { body: list(this.#customValues(end)) };
  }

  #usage(namespace: string): readonly Json[] {
    return [...this.cpu].map(([name, milli]) => ({
      metadata: { name, namespace },
      timestamp: this.#now(),
      window: "15s",
      containers: [{ name: "main", usage: { cpu: `${milli}m` } }],
    }));
  }

  #customValues(end: string): readonly Json[] {
    return Object.entries(this.custom.get(end) ?? {}).map(([name, milli]) => ({
      describedObject: { name },
      timestamp: this.#now(),
      value: `${milli}m`,
    }));
  }

  #externalValues(metric: string): readonly Json[] {
    return (this.external.get(metric) ?? []).map((milli) => ({
      metricName: metric,
      timestamp: this.#now(),
      value: `${milli}m`,
    }));
  }

  #now(): string {
    return new Date(this.#nowMs()).toISOString();
  }
}

function list(items: readonly Json[]): Json {
  return { kind: "List", items };
}

function groupDocument(name: string): Json {
  const version = name === "custom.metrics.k8s.io" ? "v1beta2" : "v1beta1";
  const entry = { groupVersion: `${name}/${version}`, version };
  return { kind: "APIGroup", apiVersion: "v1", name, versions: [entry], preferredVersion: entry };
}
