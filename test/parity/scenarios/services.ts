import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ContainerPort, Endpoints, Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create, gated, LABELS, pod } from "./objects.ts";

type Spec = NonNullable<Service["spec"]>;
type PodSpec = Partial<NonNullable<Pod["spec"]>>;

const http = { name: "http", port: 80, targetPort: 8080 };

function service(spec: Spec = {}, metadata: Service["metadata"] = {}): Step {
  return create({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", labels: LABELS, ...metadata },
    spec: { selector: LABELS, ports: [http], ...spec },
  } as Service & ApiObject);
}

const byTopology = { annotations: { "service.kubernetes.io/topology-mode": "Auto" } };

/** Node 0 is in zone-a, 1 in zone-b, 2 in zone-c. */
const on = (node: number): PodSpec => ({ nodeSelector: { "kubernetes.io/hostname": `node-${node}` } });

/** One on each of the first nodes. */
function pods(count: number, spec: PodSpec = {}): readonly Step[] {
  return Array.from({ length: count }, (_, number) =>
    create(pod(`pod-${number}`, { ...on(number % 3), ...spec })),
  );
}

const ready = (count: number): Step => ({ do: "until pods", pods: { ready: true }, are: count });
const patch = (body: unknown): Step => ({ do: "patch", target: "services/web", body });

function withPorts(...ports: readonly ContainerPort[]): PodSpec {
  return { containers: [{ name: "main", image: "app:v1", ports }] };
}

function endpoints(...subsets: NonNullable<Endpoints["subsets"]>): Step {
  return create({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web", labels: LABELS },
    subsets,
  } as Endpoints & ApiObject);
}

const external: Spec = { ports: [http], selector: {} };
const oneSubset = {
  addresses: [{ ip: "10.9.0.1" }, { ip: "10.9.0.2" }],
  ports: [{ name: "http", port: 80 }],
};

/** Services, and what follows from them and their pods. */
export const services: readonly Scenario[] = inArea("services", [
  {
    name: "service-without-pods",
    steps: [service(), { do: "until present", target: "endpoints/web", path: "metadata.uid" }],
  },
  { name: "service-with-pods", steps: [service(), ...pods(3), ready(3)] },
  {
    name: "service-with-many-ports",
    steps: [
      service({
        ports: ["http", "https", "metrics", "admin", "debug"].map((name, index) => ({
          name,
          port: 80 + index,
          targetPort: 8_000 + index,
          protocol: index === 2 ? "UDP" : "TCP",
          ...(index === 1 && { appProtocol: "kubernetes.io/h2c" }),
        })),
      }),
      ...pods(2),
      ready(2),
    ],
  },
  {
    name: "service-port-by-name",
    steps: [
      service({ ports: [{ ...http, targetPort: "web" }] }),
      create(pod("old", { ...on(0), ...withPorts({ name: "web", containerPort: 8_080 }) })),
      create(pod("new", { ...on(1), ...withPorts({ name: "web", containerPort: 9_090 }) })),
      create(pod("none", { ...on(2), ...withPorts({ name: "other", containerPort: 9_090 }) })),
      ready(3),
    ],
  },
  { name: "service-headless", steps: [service({ clusterIP: "None" }), ...pods(2), ready(2)] },
  {
    name: "service-headless-without-ports",
    steps: [service({ clusterIP: "None", ports: [] }), ...pods(2), ready(2)],
  },
  {
    name: "service-pods-become-ready",
    steps: [
      service(),
      ...pods(3, gated),
      { do: "until pods", pods: { ready: false }, are: 3 },
      { do: "let pods be ready", pods: { count: 2 } },
      ready(2),
    ],
  },
  {
    name: "service-publishes-pods-that-are-not-ready",
    steps: [
      service({ publishNotReadyAddresses: true }),
      ...pods(2, gated),
      { do: "until pods", pods: { ready: false }, are: 2 },
    ],
  },
  {
    name: "service-pod-stops-slowly",
    steps: [
      service(),
      ...pods(3, { terminationGracePeriodSeconds: 3_600 }),
      { do: "patch pods", pods: {}, body: { metadata: { annotations: { "kcm.dev/stops-after": "3600" } } } },
      ready(3),
      { do: "delete pods", pods: { count: 1 } },
    ],
  },
  {
    name: "service-pod-is-deleted",
    steps: [
      service(),
      ...pods(3, { terminationGracePeriodSeconds: 0 }),
      ready(3),
      { do: "delete pods", pods: { count: 2 } },
      { do: "until pods", pods: {}, are: 1 },
    ],
  },
  {
    name: "service-pods-leave-and-join",
    steps: [
      service(),
      ...pods(3),
      ready(3),
      { do: "patch pods", pods: { count: 1 }, body: { metadata: { labels: { app: "other" } } } },
      { do: "patch pods", pods: { count: 1 }, body: { metadata: { labels: { app: "web" } } } },
    ],
  },
  {
    name: "service-selector-changes",
    steps: [
      service(),
      ...pods(2),
      ready(2),
      patch({ spec: { selector: { app: "other" } } }),
      patch({ spec: { selector: { app: "web" } } }),
      patch({ spec: { selector: null } }),
    ],
  },
  {
    name: "service-ports-and-labels-change",
    steps: [
      service(),
      ...pods(2),
      ready(2),
      patch({ spec: { ports: [{ ...http, targetPort: 9_090 }] } }),
      patch({ metadata: { labels: { app: null, tier: "front" } } }),
    ],
  },
  {
    name: "service-becomes-a-name-and-back",
    steps: [
      service(),
      ...pods(1),
      ready(1),
      patch({
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null },
      }),
      patch({ spec: { type: "ClusterIP", externalName: null } }),
    ],
  },
  {
    name: "service-prefers-near-endpoints",
    steps: [
      service({ trafficDistribution: "PreferSameZone" }),
      ...pods(3),
      ready(3),
      patch({ spec: { trafficDistribution: "PreferSameNode" } }),
    ],
  },
  {
    name: "service-prefers-near-endpoints-no-more",
    steps: [
      service({ trafficDistribution: "PreferClose" }),
      ...pods(3),
      ready(3),
      patch({ spec: { trafficDistribution: null } }),
    ],
  },
  {
    name: "service-by-topology",
    steps: [service({}, byTopology), ...pods(6), ready(6)],
  },
  {
    name: "service-by-topology-with-too-few-pods",
    steps: [service({}, byTopology), ...pods(2), ready(2), ...pods(3).slice(2), ready(3)],
  },
  {
    name: "service-by-topology-with-uneven-zones",
    steps: [
      service({}, byTopology),
      ...[0, 0, 0, 1, 1, 2].map((node, number) => create(pod(`pod-${number}`, on(node)))),
      ready(6),
      { do: "patch pods", pods: { count: 1 }, body: { metadata: { labels: { app: "other" } } } },
    ],
  },
  {
    name: "service-by-topology-no-more",
    steps: [
      service({}, byTopology),
      ...pods(3),
      ready(3),
      patch({ metadata: { annotations: { "service.kubernetes.io/topology-mode": null } } }),
    ],
  },
  {
    name: "service-is-deleted",
    steps: [
      service(),
      ...pods(2),
      ready(2),
      { do: "delete", target: "services/web" },
      { do: "until gone", target: "endpoints/web" },
    ],
  },
  {
    name: "service-endpoints-are-mirrored",
    steps: [
      service(external),
      endpoints(
        oneSubset,
        { addresses: [{ ip: "10.9.0.3" }], ports: [{ name: "https", port: 443 }] },
        {
          addresses: [{ ip: "2001:db8::1" }],
          notReadyAddresses: [{ ip: "10.9.0.4" }],
          ports: [{ name: "http", port: 80 }],
        },
      ),
    ],
  },
  {
    name: "service-mirrored-endpoints-change",
    steps: [
      service(external),
      endpoints(oneSubset),
      {
        do: "patch",
        target: "endpoints/web",
        body: { metadata: { labels: { tier: "back" }, annotations: { note: "x" } } },
      },
      {
        do: "patch",
        target: "endpoints/web",
        body: { subsets: [{ ...oneSubset, addresses: [{ ip: "10.9.0.9" }] }] },
      },
      {
        do: "patch",
        target: "endpoints/web",
        body: { subsets: [{ ...oneSubset, ports: [{ name: "http", port: 81 }] }] },
      },
    ],
  },
  {
    name: "service-mirroring-is-skipped",
    steps: [
      service(external),
      endpoints(oneSubset),
      {
        do: "patch",
        target: "endpoints/web",
        body: { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } },
      },
    ],
  },
]);
