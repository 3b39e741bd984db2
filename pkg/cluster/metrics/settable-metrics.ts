import type { Json } from "../../api/json.ts";
import { parseLabelSelector } from "../../api/labels-parse.ts";
import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { ConfigMap } from "../../api/types/core-v1.gen.ts";
import { storeReader } from "../../apiserver/admission/cluster-reader.ts";
import type { DocumentSource } from "../../apiserver/server/api-server.ts";
import type { ApiRequest, ApiResponse } from "../../apiserver/server/request.ts";
import { bucketName, storageKey } from "../../apiserver/server/served-resource.ts";
import { StatusError } from "../../apiserver/server/status-error.ts";
import type { Store } from "../../apiserver/storage/store.ts";
import type { Clock } from "../../clock/clock.ts";
import { loadAt, parseLoad, saidSinceMs } from "./load.ts";

const CUSTOM_GROUP = "custom.metrics.k8s.io";
const EXTERNAL_GROUP = "external.metrics.k8s.io";
const VERSIONS: Readonly<Record<string, string>> = {
  [CUSTOM_GROUP]: "v1beta2",
  [EXTERNAL_GROUP]: "v1beta1",
};
/** Behind it the name of a metric of the very object: its value. */
const METRIC_ANNOTATION = "kcm.dev/metric.";
/** Its entries are the external metrics of its namespace: lines of values, with or without labels. */
const EXTERNAL_METRICS = "external-metrics";
const LINE = /^(?:\{(?<labels>[^}]*)\}\s*)?(?<value>\S+)$/;
const LABEL = /(?<key>[^=,\s]+)="?(?<value>[^",]*)"?/g;

/** Custom and external metrics that a user sets: by annotations of objects, and by a ConfigMap. */
export function settableMetrics(store: Store, clock: Clock): DocumentSource {
  const source = new SettableMetrics(store, clock);
  return (_, request) => (request.method === "GET" ? source.answer(request) : undefined);
}

class SettableMetrics {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  answer({ path, query }: ApiRequest): ApiResponse | undefined {
    const [, root, group = "", version, namespaces, namespace = "", ...rest] = path
      .split("/")
      .map(decodeURIComponent);
    if (root !== "apis" || !Object.hasOwn(VERSIONS, group)) return undefined;
    if (version === undefined) return jsonAnswer(groupDocument(group));
    if (version !== VERSIONS[group]) return undefined;
    if (namespaces === undefined) return jsonAnswer(resourceList(group));
    if (namespaces !== "namespaces") return undefined;
    if (group === EXTERNAL_GROUP && rest.length === 1)
      return jsonAnswer(this.#externalList(namespace, rest[0] ?? "", query));
    if (group === CUSTOM_GROUP && rest.length > 1)
      return jsonAnswer(this.#customList(namespace, rest, query));
    return undefined;
  }

  #customList(namespace: string, place: readonly string[], query: URLSearchParams): Json {
    const [resource = "", name = "", metric = name] = place;
    // "metrics" in place of a resource: of the namespace itself.
    const isNamespace = place.length === 2 && resource === "metrics";
    const objects = isNamespace
      ? this.#named("namespaces", "", namespace)
      : this.#find(namespace, place, query);
    const nowMs = this.#clock.nowMs();
    const values = objects.flatMap((object) => {
      const annotation = METRIC_ANNOTATION + metric;
      const load = parseLoad(annotationsOf(object)[annotation]);
      if (load === undefined) return [];
      const { kind, apiVersion } = object;
      return [
        {
          describedObject: { kind, apiVersion, namespace, name: object.metadata.name },
          metric: { name: metric },
          timestamp: formatTime(nowMs),
          value: quantityOf(loadAt(load, saidSinceMs(object, annotation), nowMs)),
        },
      ];
    });
    if (values.length === 0 && name !== "*") {
      const message = `the server could not find the metric ${metric} for ${resource} ${name}`;
      throw new StatusError(404, "NotFound", message);
    }
    return listOf(CUSTOM_GROUP, "MetricValueList", values);
  }

  #find(namespace: string, [resource = "", name = ""]: readonly string[], query: URLSearchParams) {
    const dot = resource.indexOf(".");
    const [plural, group] = dot < 0 ? [resource, ""] : [resource.slice(0, dot), resource.slice(dot + 1)];
    const bucket = bucketName(group, plural);
    if (name !== "*") return this.#named(bucket, namespace, name);
    const selector = parseLabelSelector(query.get("labelSelector") ?? "");
    return this.#store
      .scan(bucket, { prefix: `${namespace}/` })
      .items.filter(({ metadata }) => selector.matches(metadata.labels));
  }

  #named(bucket: string, namespace: string, name: string): readonly ApiObject[] {
    const found = this.#store.get(bucket, storageKey(namespace !== "", namespace, name));
    return found === undefined ? [] : [found];
  }

  #externalList(namespace: string, metric: string, query: URLSearchParams): Json {
    const map = storeReader(this.#store).get<ConfigMap>(resources.configMaps, namespace, EXTERNAL_METRICS);
    const selector = parseLabelSelector(query.get("labelSelector") ?? "");
    const nowMs = this.#clock.nowMs();
    const values = (map?.data?.[metric] ?? "").split("\n").flatMap((line) => {
      const { labels: text = "", value } = LINE.exec(line.trim())?.groups ?? {};
      const load = parseLoad(value);
      const metricLabels = Object.fromEntries(
        [...text.matchAll(LABEL)].map(({ groups }) => [groups?.["key"] ?? "", groups?.["value"] ?? ""]),
      );
      if (map === undefined || load === undefined || !selector.matches(metricLabels)) return [];
      const sinceMs = saidSinceMs(map, metric);
      const amount = quantityOf(loadAt(load, sinceMs, nowMs));
      return [{ metricName: metric, metricLabels, timestamp: formatTime(nowMs), value: amount }];
    });
    return listOf(EXTERNAL_GROUP, "ExternalMetricValueList", values);
  }
}

function annotationsOf({ metadata }: ApiObject): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

function quantityOf(amount: number): string {
  return `${Math.round(amount * 1_000)}m`;
}

function listOf(group: string, kind: string, items: readonly Json[]): Json {
  return { kind, apiVersion: `${group}/${VERSIONS[group]}`, metadata: {}, items };
}

function groupDocument(name: string): Json {
  const version = VERSIONS[name];
  const served = { groupVersion: `${name}/${version}`, version };
  return { kind: "APIGroup", apiVersion: "v1", name, versions: [served], preferredVersion: served };
}

/** Nobody knows which metrics there will be. */
function resourceList(group: string): Json {
  const groupVersion = `${group}/${VERSIONS[group]}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };
}

function jsonAnswer(value: Json): ApiResponse {
  return { status: 200, headers: {}, body: { kind: "object", value } };
}
