import { child, items, type Json, text } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { parseQuantity } from "../../api/quantity-parse.ts";
import type { Resource } from "../../api/resource.ts";
import { resources } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import { type ClusterReader, storeReader } from "../../apiserver/admission/cluster-reader.ts";
import { column, nameColumn } from "../../apiserver/kinds/table.ts";
import type { ComputedResource } from "../../apiserver/server/computed-resource.ts";
import type { Store } from "../../apiserver/storage/store.ts";
import type { Clock } from "../../clock/clock.ts";
import { PodUsages, quantitiesOf, totalOf, type Usage } from "./usage.ts";

export const METRICS_GROUP = "metrics.k8s.io";
export const METRICS_VERSION = "v1beta1";
const apiVersion = `${METRICS_GROUP}/${METRICS_VERSION}`;
const WINDOW = "15s";
/** What a node itself uses. */
const SYSTEM: Usage = { cpu: 0.02, memory: 128 * 1024 * 1024 };

const nodeMetrics: Resource = {
  group: METRICS_GROUP,
  version: METRICS_VERSION,
  plural: "nodes",
  kind: "NodeMetrics",
  namespaced: false,
};
const podMetrics: Resource = { ...nodeMetrics, plural: "pods", kind: "PodMetrics", namespaced: true };

const amounts = { type: "object", additionalProperties: { type: "string" } };
const common = { metadata: { type: "object" }, timestamp: { type: "string" }, window: { type: "string" } };
const containers = {
  type: "array",
  items: { type: "object", properties: { name: { type: "string" }, usage: amounts } },
};

/** What a metrics-server would serve, worked out from what hollow containers are said to use or ask for. */
export function metricsApi(store: Store, clock: Clock): readonly ComputedResource[] {
  const reader = storeReader(store);
  const now = (): string => formatTime(clock.nowMs());
  const usagesNow = (): PodUsages => new PodUsages(reader, clock.nowMs());
  const ofNode = (node: Node, usage: Usage): ApiObject =>
    metricsOf(nodeMetrics, node, now(), { usage: quantitiesOf(usage) });
  return [
    {
      resource: nodeMetrics,
      singular: "",
      columns: tableColumns((object) => [child(object, "usage")]),
      openApi: { type: "object", properties: { ...common, usage: amounts } },
      list: () => {
        const usages = nodeUsages(reader, usagesNow());
        return reader
          .list<Node>(resources.nodes)
          .map((node) => ofNode(node, usages.get(node.metadata.name ?? "") ?? SYSTEM));
      },
      get: (_namespace, name) => {
        const node = reader.get<Node>(resources.nodes, "", name);
        return node && ofNode(node, nodeUsages(reader, usagesNow()).get(name) ?? SYSTEM);
      },
    },
    {
      resource: podMetrics,
      singular: "",
      columns: tableColumns((object) => items(object, "containers").map((one) => child(one, "usage"))),
      openApi: { type: "object", properties: { ...common, containers } },
      list: (namespace) => {
        const [time, usages] = [now(), usagesNow()];
        const pods = reader.list<Pod>(resources.pods, namespace);
        return pods.flatMap((pod) => metricsOfPod(pod, time, usages));
      },
      get: (namespace, name) => {
        const pod = reader.get<Pod>(resources.pods, namespace, name);
        return pod && metricsOfPod(pod, now(), usagesNow())[0];
      },
    },
  ];
}

function nodeUsages(reader: ClusterReader, pods: PodUsages): ReadonlyMap<string, Usage> {
  const usages = new Map<string, Usage>();
  for (const pod of reader.list<Pod>(resources.pods)) {
    const node = pod.spec?.nodeName;
    if (node === undefined) continue;
    usages.set(node, totalOf([usages.get(node) ?? SYSTEM, ...pods.of(pod)]));
  }
  return usages;
}

/** None of a pod that does not run. */
function metricsOfPod(pod: Pod, time: string, usages: PodUsages): readonly ApiObject[] {
  const usage = usages.of(pod);
  if (usage.length === 0) return [];
  const containers = usage.map((one) => ({ name: one.name, usage: quantitiesOf(one) }));
  return [metricsOf(podMetrics, pod, time, { containers })];
}

/** Under the name and with the labels of what it is about, so that selectors find it. */
function metricsOf({ kind }: Resource, of: ApiObject, timestamp: string, rest: object): ApiObject {
  const { name = "", namespace, labels } = of.metadata;
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    creationTimestamp: timestamp,
    ...(labels && { labels }),
  };
  return Object.assign({ kind, apiVersion, metadata }, { timestamp, window: WINDOW }, rest);
}

/** As metrics-server has them in its tables. */
function tableColumns(usageOf: (object: Json) => readonly (Json | undefined)[]): ComputedResource["columns"] {
  const sumOf = (object: Json, name: string): string => {
    const texts = usageOf(object).map((usage) => text(usage, name));
    const sum = texts.reduce((total, one) => total.add(parseQuantity(one)), parseQuantity("0"));
    return sum.toString();
  };
  return [
    nameColumn,
    ...["cpu", "memory"].map((name) => column(name, (object) => sumOf(object, name), { format: "quantity" })),
    column("Window", (object) => text(object, "window"), { format: "duration" }),
  ];
}
