import type { Json } from "../../pkg/api/json.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { type FakeAnswer, FakeTransport } from "./fake-transport.ts";

/** The APIs of metrics, in the versions that are served here. */
export const METRICS_VERSIONS = {
  "metrics.k8s.io": "v1beta1",
  "custom.metrics.k8s.io": "v1beta2",
  "external.metrics.k8s.io": "v1beta1",
} as const;

const METRICS_PATH = /^\/apis\/(?:custom\.|external\.)?metrics\.k8s\.io(?:\/|$)/;

/** What is to be measured in a namespace. Values are in thousandths. */
export interface Load {
  /** What the pods that run use of a core, all of them together, by container. */
  readonly cpu?: Readonly<Record<string, number>>;
  /** It comes through a Service: pods that are not ready use nothing. */
  readonly ofReady?: boolean;
  /** As many of them are passed over, as if nobody had measured them yet: the last by name. */
  readonly unmeasured?: number;
  /** "pods/qps" is shared by the pods that run; "services/front/qps" is a value of that. */
  readonly custom?: Readonly<Record<string, number>>;
  readonly external?: Readonly<Record<string, readonly number[]>>;
  /** Everything is answered with this status. */
  readonly outage?: number;
}

type PodsOf = (namespace: string, labelSelector: string | undefined) => Promise<readonly Stored<Pod>[]>;

/** A metrics server, and adapters for the other two APIs: it knows the pods that run, and is told what they do. */
export class LoadMetrics {
  /** By namespace, or by that and the selector of the pods. */
  readonly #loads = new Map<string, Load>();
  #outage: number | undefined;
  readonly #podsOf: PodsOf;
  readonly #nowMs: () => number;

  constructor(podsOf: PodsOf, nowMs: () => number) {
    this.#podsOf = podsOf;
    this.#nowMs = nowMs;
  }

  set(namespace: string, load: Load): void {
    this.#loads.set(namespace, load);
  }

  /** Of the pods with this selector. What is not named stays. */
  change(namespace: string, labelSelector: string, change: Load): void {
    this.#loads.set(`${namespace} ${labelSelector}`, { ...this.of(namespace, labelSelector), ...change });
  }

  of(namespace: string, labelSelector: string | undefined): Load {
    return this.#loads.get(`${namespace} ${labelSelector}`) ?? this.#loads.get(namespace) ?? {};
  }

  /** Everything is answered with this status, until it is undefined. */
  away(status: number | undefined): void {
    this.#outage = status;
  }

  get isAway(): boolean {
    return this.#outage !== undefined;
  }

  /** The server with these metrics beside it. */
  over(server: Transport): Transport {
    return {
      send: async (request, signal) =>
        METRICS_PATH.test(request.path)
          ? // One each: they keep what they are asked.
            new FakeTransport(async ({ path, query }) => this.answer(path, query)).send(request, signal)
          : server.send(request, signal),
      close: async () => server.close(),
    };
  }

  async answer(path: string, query: URLSearchParams | undefined): Promise<FakeAnswer> {
    const [, , group = "", version, , namespace, ...rest] = path.split("/").map(decodeURIComponent);
    const served = servedVersion(group);
    if (served === undefined || !METRICS_PATH.test(path)) return notFound(path);
    if (version === undefined) return { body: groupDocument(group, served) };
    const groupVersion = `${group}/${served}`;
    if (namespace === undefined) return { body: resourceList(groupVersion) };
    const labelSelector = query?.get("labelSelector") ?? undefined;
    const load = this.of(namespace, labelSelector);
    const outage = this.#outage ?? load.outage;
    if (outage !== undefined) return unavailable(outage);
    if (group === "external.metrics.k8s.io")
      return listOf("ExternalMetricValueList", groupVersion, this.#external(load, rest.join("/")));
    const pods = (await this.#podsOf(namespace, labelSelector))
      .filter(
        ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
      )
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    if (group === "metrics.k8s.io") return listOf("PodMetricsList", groupVersion, this.#usage(load, pods));
    return listOf("MetricValueList", groupVersion, this.#custom(load, rest, pods));
  }

  #usage({ cpu = {}, ofReady = false, unmeasured = 0 }: Load, pods: readonly Stored<Pod>[]): readonly Json[] {
    if (Object.keys(cpu).length === 0) return [];
    const users = new Set(ofReady ? pods.filter(isPodReady) : pods);
    return pods.slice(0, Math.max(0, pods.length - unmeasured)).map((pod) => ({
      metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace },
      timestamp: this.#now(),
      window: "0s",
      containers: Object.entries(cpu).map(([name, milli]) => ({
        name,
        usage: { cpu: `${users.has(pod) ? share(milli, users.size) : 0}m` },
      })),
    }));
  }

  #custom({ custom = {} }: Load, place: readonly string[], pods: readonly Stored<Pod>[]): readonly Json[] {
    const [plural = "", name = "", metric = ""] = place;
    const value = custom[plural === "pods" && name === "*" ? `pods/${metric}` : place.join("/")];
    if (value === undefined) return [];
    const described = (kind: string, of: string, milli: number): Json => ({
      describedObject: { kind, name: of, apiVersion: "v1" },
      metric: { name: metric },
      timestamp: this.#now(),
      windowSeconds: 0,
      value: `${milli}m`,
    });
    if (name !== "*") return [described("Service", name, value)];
    return pods.map(({ metadata }) => described("Pod", metadata.name, share(value, pods.length)));
  }

  #external({ external = {} }: Load, metricName: string): readonly Json[] {
    return (external[metricName] ?? []).map((milli) => ({
      metricName,
      metricLabels: {},
      timestamp: this.#now(),
      value: `${milli}m`,
    }));
  }

  #now(): string {
    return formatTime(this.#nowMs());
  }
}

/** Pods as the API server has them. */
export function podsOfServer(client: ClientSet): PodsOf {
  return async (namespace, labelSelector) => {
    const selected = labelSelector === undefined ? {} : { labelSelector };
    return (await client.clientFor<Pod>(resources.pods).list({ namespace, ...selected })).items;
  };
}

function share(milli: number, pods: number): number {
  return Math.trunc(milli / Math.max(1, pods));
}

function servedVersion(group: string): string | undefined {
  return Object.entries(METRICS_VERSIONS).find(([name]) => name === group)?.[1];
}

function listOf(kind: string, apiVersion: string, items: readonly Json[]): FakeAnswer {
  return { body: { kind, apiVersion, metadata: {}, items } };
}

function groupDocument(name: string, version: string): Json {
  const entry = { groupVersion: `${name}/${version}`, version };
  return { kind: "APIGroup", apiVersion: "v1", name, versions: [entry], preferredVersion: entry };
}

/** Whoever looks for kinds finds one in each. */
function resourceList(groupVersion: string): Json {
  const verbs = ["get", "list"];
  const pods = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs };
  const values = { ...pods, name: "values", kind: "MetricValueList" };
  const resource = groupVersion.startsWith("metrics.") ? pods : values;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [resource] };
}

function notFound(path: string): FakeAnswer {
  return { status: 404, body: statusOf(404, "NotFound", `nothing is at ${path}`) };
}

function unavailable(status: number): FakeAnswer {
  return { status, body: statusOf(status, "ServiceUnavailable", "metrics are not available") };
}

function statusOf(code: number, reason: string, message: string): Json {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code };
}
