import { isJson, items, type Json, text, child } from "../../pkg/api/json.ts";
import { selectorFromSpec, type LabelSelectorSpec } from "../../pkg/api/label-selector.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { CrossVersionObjectReference } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { messageOf } from "../../pkg/api/errors.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { isNotFound, isUnreachable } from "../../pkg/client/errors.ts";
import { goMessageOf, type Requested } from "../../pkg/client/go-message.ts";
import type { KindLookup } from "../../pkg/client/kind-lookup.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

const RESOURCE_METRICS = "metrics.k8s.io";
const CUSTOM_METRICS = "custom.metrics.k8s.io";
const EXTERNAL_METRICS = "external.metrics.k8s.io";
/** Those that are understood. */
const CUSTOM_VERSIONS: ReadonlySet<string> = new Set(["v1beta2", "v1beta1"]);

/** A metric that cannot be had; with a message that autoscalers show. */
export class MetricsError extends Error {
  readonly code = "Metrics";
  override readonly name = "MetricsError";
}

export interface MetricsApisOptions {
  readonly client: Pick<ClientSet, "rest">;
  readonly kinds: Pick<KindLookup, "find">;
  readonly clock: Clock;
  /** How long it is known which version of the custom metrics is served. */
  readonly versionPeriodMs: number;
}

interface CustomQuery {
  readonly namespace: string;
  readonly metric: string;
  readonly metricSelector: LabelSelectorSpec | undefined;
}

/** The three APIs that metrics are asked of. Whatever is wrong with an answer is a MetricsError, but for outages. */
export class MetricsApis {
  readonly #options: MetricsApisOptions;
  #customVersion: { readonly version: string; readonly untilMs: number } | undefined;

  constructor(options: MetricsApisOptions) {
    this.#options = options;
  }

  /** What the containers of pods use. */
  async usage(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly Json[]> {
    const path = `/apis/${RESOURCE_METRICS}/v1beta1/namespaces/${namespace}/pods`;
    const asked = { group: RESOURCE_METRICS, plural: "pods" };
    const list = this.#list({ namespace, path, query: { labelSelector }, asked }, signal);
    return this.#filled("resource", list, signal);
  }

  /** A custom metric of pods. */
  async ofPods(query: CustomQuery, labelSelector: string, signal: AbortSignal): Promise<readonly Json[]> {
    const parameters = { labelSelector, metricLabelSelector: selectorText(query.metricSelector) };
    return this.#filled("custom", this.#custom(query, "pods/*", parameters, signal), signal);
  }

  /** A custom metric of one object. */
  async ofObject(
    query: CustomQuery,
    object: CrossVersionObjectReference,
    signal: AbortSignal,
  ): Promise<Json> {
    const parameters = { metricLabelSelector: selectorText(query.metricSelector) };
    const fetch = async (): Promise<Json> => {
      const { group } = parseApiVersion(object.apiVersion ?? "");
      const isNamespace = group === "" && object.kind === "Namespace";
      const place = isNamespace
        ? "metrics"
        : `${await this.#resourceOf(group, object.kind, signal)}/${encodeURIComponent(object.name)}`;
      const values = await this.#custom(query, place, parameters, signal);
      const [value] = values;
      if (value !== undefined && values.length === 1) return value;
      throw new MetricsError(
        `the custom metrics API server returned ${values.length} results when we asked for exactly one`,
      );
    };
    return this.#explained("custom", fetch, signal);
  }

  /** All values of a metric of something outside the cluster. */
  async external(
    namespace: string,
    metric: string,
    selector: LabelSelectorSpec | undefined,
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const path = `/apis/${EXTERNAL_METRICS}/v1beta1/namespaces/${namespace}/${encodeURIComponent(metric)}`;
    const asked = { group: EXTERNAL_METRICS, plural: metric };
    const query = { labelSelector: selectorText(selector) };
    return this.#filled("external", this.#list({ namespace, path, query, asked }, signal), signal);
  }

  async #resourceOf(group: string, kind: string, signal: AbortSignal): Promise<string> {
    const resource = await this.#options.kinds.find({ group, kind }, signal);
    if (resource !== undefined) return groupResource(resource);
    throw new MetricsError(
      `unable to map kind ${group === "" ? kind : `${kind}.${group}`} to resource: ${noSuchKind(group, kind)}`,
    );
  }

  async #custom(
    { namespace, metric }: CustomQuery,
    place: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const version = await this.#servedVersion(signal);
    const path = `/apis/${CUSTOM_METRICS}/${version}/namespaces/${namespace}/${place}/${encodeURIComponent(metric)}`;
    const [plural = "", name] = place.split("/");
    const asked: Requested = {
      group: CUSTOM_METRICS,
      plural,
      name: name === undefined ? metric : decodeURIComponent(name),
    };
    return this.#list({ namespace, path, query, asked }, signal);
  }

  /** The version of the custom metrics that the server prefers of those that are understood. */
  async #servedVersion(signal: AbortSignal): Promise<string> {
    const { client, clock, versionPeriodMs } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#customVersion !== undefined && nowMs < this.#customVersion.untilMs)
      return this.#customVersion.version;
    const group = await this.#customGroup(client, signal);
    const preferred = text(child(group, "preferredVersion"), "version");
    const served = [preferred, ...items(group, "versions").map((each) => text(each, "version"))];
    const version = served.find((each) => CUSTOM_VERSIONS.has(each));
    if (version === undefined) throw new MetricsError("no known available metric versions found");
    this.#customVersion = { version, untilMs: nowMs + versionPeriodMs };
    return version;
  }

  async #customGroup({ rest }: Pick<ClientSet, "rest">, signal: AbortSignal): Promise<Json | undefined> {
    try {
      const answer = await rest.json({ method: "GET", path: `/apis/${CUSTOM_METRICS}` }, signal);
      return isJson(answer) ? answer : undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new MetricsError(`no custom metrics API (${CUSTOM_METRICS}) registered`, { cause: error });
    }
  }

  async #list({ namespace, path, query, asked }: ListRequest, signal: AbortSignal): Promise<readonly Json[]> {
    const parameters = Object.entries(query).filter(([, value]) => value !== "");
    const list: Json[] = [];
    const request = {
      method: "GET",
      path,
      namespace,
      ...(parameters.length > 0 && { query: new URLSearchParams(parameters) }),
    } as const;
    try {
      // One by one, as there can be one for each of thousands of pods.
      await this.#options.client.rest.items(request, (item) => isJson(item) && list.push(item), signal);
      return list;
    } catch (error) {
      signal.throwIfAborted();
      if (isUnreachable(error)) throw error;
      throw new MetricsError(goMessageOf(error, asked), { cause: error });
    }
  }

  /** A list without anything in it is none: nobody knows what is wrong. */
  async #filled(api: string, list: Promise<readonly Json[]>, signal: AbortSignal): Promise<readonly Json[]> {
    const found = await this.#explained(api, async () => list, signal);
    if (found.length === 0) throw new MetricsError(`no metrics returned from ${api} metrics API`);
    return found;
  }

  async #explained<T>(api: string, fetch: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await fetch();
    } catch (error) {
      signal.throwIfAborted();
      if (isUnreachable(error)) throw error;
      const message = `unable to fetch metrics from ${api} metrics API: ${messageOf(error)}`;
      throw new MetricsError(message, { cause: error });
    }
  }
}

interface ListRequest {
  readonly namespace: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly asked: Requested;
}

/** As RESTMappers say it. */
export function noSuchKind(group: string, kind: string): string {
  return `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`;
}

/** Neither everything nor nothing has a text: both ask for all values. */
function selectorText(selector: LabelSelectorSpec | undefined): string {
  return selectorFromSpec(selector).toString();
}
