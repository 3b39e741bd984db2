import type { Clock } from "../../clock/clock.ts";
import type { Counter, Gauge, Histogram, Labels } from "../../metrics/metrics.ts";
import type { ExposedMetrics } from "../../metrics/registry.ts";
import type { Store } from "../storage/store.ts";
import { mediaType } from "./negotiate.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";
import { WatchStream } from "./watch-stream.ts";

const requestLabels = [
  "verb",
  "dry_run",
  "group",
  "version",
  "resource",
  "subresource",
  "scope",
  "component",
] as const;
type RequestLabels = Readonly<Record<(typeof requestLabels)[number], string>> & Labels;

interface Series {
  readonly labels: RequestLabels;
  readonly total: ReturnType<Counter["with"]>;
  readonly durations: ReturnType<Histogram["with"]>;
}

const watchLabels = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;

const buckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

const canonicalVerbs: Readonly<Record<string, string>> = { create: "POST", update: "PUT" };
const readOnly = new Set(["get", "list", "watch"]);

/** What a request is known to be about, once it has been routed. */
export interface RoutedRequest {
  readonly verb: string;
  readonly info: RequestInfo;
}

/** The metrics of an API server that dashboards look for: what was asked, how it went, what is stored. */
export class RequestMetrics {
  readonly #metrics: ExposedMetrics;
  readonly #clock: Clock;
  readonly #total: Counter;
  readonly #durations: Histogram;
  readonly #watches: Gauge;
  readonly #inFlight: Readonly<Record<"readOnly" | "mutating", ReturnType<Gauge["with"]>>>;
  readonly #series = new Map<string, Series>();

  constructor(metrics: ExposedMetrics, { clock, store }: { readonly clock: Clock; readonly store: Store }) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#total = metrics.counter({
      name: "apiserver_request_total",
      help: "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      labels: [...requestLabels, "code"],
      stability: "STABLE",
    });
    this.#durations = metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
      labels: requestLabels,
      stability: "STABLE",
      buckets,
    });
    this.#watches = metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
      labels: watchLabels,
      stability: "STABLE",
    });
    const inFlight = metrics.gauge({
      name: "apiserver_current_inflight_requests",
      help: "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
      labels: ["request_kind"],
      stability: "STABLE",
    });
    this.#inFlight = {
      readOnly: inFlight.with({ request_kind: "readOnly" }),
      mutating: inFlight.with({ request_kind: "mutating" }),
    };
    this.#countObjects(store);
  }

  /** The answer to GET /metrics. */
  async expose(): Promise<ApiResponse> {
    const text = await this.#metrics.expose();
    const headers = { "content-type": this.#metrics.contentType };
    return { status: 200, headers, body: { kind: "text", text } };
  }

  /** A request has begun; what is returned is told of its end, with what it turned out to be. */
  begin(request: ApiRequest): (response: ApiResponse | undefined, routed: RoutedRequest | undefined) => void {
    const startMs = this.#clock.monotonicMs();
    const inFlight = this.#inFlight[request.method === "GET" ? "readOnly" : "mutating"];
    inFlight.add(1);
    return (response, routed) => {
      inFlight.add(-1);
      if (response === undefined || routed === undefined) return;
      const series = this.#seriesOf(labelsOf(request, routed), response.status);
      series.total.inc();
      if (response.body.kind === "watch") this.#follow(response, series.labels);
      else series.durations.observe((this.#clock.monotonicMs() - startMs) / 1000);
    };
  }

  /** Bound once: to find a series by its labels costs as much as a small request. */
  #seriesOf(labels: RequestLabels, status: number): Series {
    const key = `${Object.values(labels).join(" ")} ${status}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const total = this.#total.with({ ...labels, code: String(status) });
      series = { labels, total, durations: this.#durations.with(labels) };
      this.#series.set(key, series);
    }
    return series;
  }

  #follow({ body }: ApiResponse, labels: RequestLabels): void {
    if (body.kind !== "watch" || !(body.frames instanceof WatchStream)) return;
    const { dry_run: _, ...ofWatch } = labels;
    this.#watches.add(1, ofWatch);
    body.frames.onEnd(() => this.#watches.add(-1, ofWatch));
  }

  #countObjects(store: Store): void {
    const byName = this.#metrics.gauge({
      name: "apiserver_storage_objects",
      help: "[DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
      labels: ["resource"],
      stability: "STABLE",
    });
    const byResource = this.#metrics.gauge({
      name: "apiserver_resource_objects",
      help: "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
      labels: ["group", "resource"],
      stability: "ALPHA",
    });
    this.#metrics.onCollect(() => {
      for (const bucket of store.bucketNames()) {
        const [resource = "", group = ""] = bucket.split("/").toReversed();
        const count = store.count(bucket);
        byName.set(count, { resource: group === "" ? resource : `${resource}.${group}` });
        byResource.set(count, { group, resource });
      }
    });
  }
}

function labelsOf(request: ApiRequest, { verb, info }: RoutedRequest): RequestLabels {
  const { group, version, plural: resource, subresource, namespace, name } = info;
  const isApply =
    verb === "patch" && mediaType(request.headers["content-type"]) === "application/apply-patch+yaml";
  const isOne = name !== "" || verb === "create";
  return {
    verb: isApply ? "APPLY" : (canonicalVerbs[verb] ?? verb.toUpperCase()),
    dry_run: request.query.getAll("dryRun").includes("All") && !readOnly.has(verb) ? "All" : "",
    group,
    version,
    resource,
    subresource,
    scope: isOne ? "resource" : namespace === "" ? "cluster" : "namespace",
    component: "apiserver",
  };
}
