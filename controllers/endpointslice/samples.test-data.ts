import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";
import { newSlice } from "./slice-object.ts";

export const NAMESPACE = "default";

export function service(name: string, spec: Service["spec"] = {}): Stored<Service> {
  return asStored<Service>({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `${name}-uid`,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      ports: [{ name: name, port: 80, targetPort: 80, protocol: "TCP" }],
      selector: { foo: "bar" },
      ipFamilies: ["IPv4"],
      clusterIP: "1.1.1.1",
      ...spec,
    },
  });
}

export interface PodSketch {
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly ips?: readonly string[];
  readonly node?: string;
  readonly phase?: string;
}

/** Number 7 has the address 1.2.3.11. */
export function pod(number: number, sketch: PodSketch = {}): Stored<Pod> {
  const { ready = true, terminating = false, node = "node-1", phase = "Running" } = sketch;
  const ips = sketch.ips ?? [`1.2.${3 + Math.floor((4 + number) / 256)}.${(4 + number) % 256}`];
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod${number}`,
      namespace: NAMESPACE,
      uid: `pod${number}-uid`,
      labels: { foo: "bar" },
      resourceVersion: String(number),
      ...(terminating && { deletionTimestamp: "2026-01-01T01:00:00Z" }),
    },
    spec: { nodeName: node, containers: [{ name: "c", image: "image" }] },
    status: {
      phase,
      ...(ips[0] !== undefined && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  });
}

export function pods(count: number, sketch: PodSketch = {}): readonly Stored<Pod>[] {
  return Array.from({ length: count }, (_, number) => pod(number, sketch));
}

export interface NodeSketch {
  readonly zone?: string;
  readonly cpu?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

export function node(name: string, { zone, cpu, ready = true, labels = {} }: NodeSketch = {}): Stored<Node> {
  return asStored<Node>({
    metadata: {
      name,
      labels: { ...labels, ...(zone !== undefined && { "topology.kubernetes.io/zone": zone }) },
    },
    status: {
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      ...(cpu !== undefined && { allocatable: { cpu } }),
    },
  });
}

export const PORTS: readonly EndpointPort[] = [{ name: "foo", port: 80, protocol: "TCP" }];

/** As it would be read from the server. */
export function slice(
  name: string,
  owner: Stored<Service>,
  endpoints: readonly Endpoint[],
  ports: readonly EndpointPort[] = PORTS,
): EndpointSlice {
  const fresh = newSlice(asStored(owner), ports, "IPv4");
  const metadata = { ...fresh.metadata, name, uid: `${name}-uid`, resourceVersion: "1", generation: 1 };
  return { ...fresh, metadata, endpoints };
}

/** One named "web". */
export async function serviceIn(
  world: ControllerWorld,
  spec: Service["spec"] = {},
  metadata: Service["metadata"] = {},
): Promise<Service> {
  const { clusterIP: _, ipFamilies, ...plain } = { ...service("web").spec, ...spec };
  const families = plain.type === "ExternalName" || ipFamilies === undefined ? {} : { ipFamilies };
  return world.create<Service>(resources.services, {
    metadata: { name: "web", ...metadata },
    spec: { ...plain, ...families },
  });
}

export async function podIn(
  world: ControllerWorld,
  number: number,
  sketch: PodSketch = {},
  labels: Readonly<Record<string, string>> = { foo: "bar" },
): Promise<Pod> {
  const { terminating = false, ...rest } = sketch;
  const sample = pod(number, rest);
  const metadata = { name: `pod${number}`, labels, ...(terminating && { finalizers: ["x.io/hold"] }) };
  const created = await world.createWithStatus<Pod>(resources.pods, { ...sample, metadata });
  if (terminating) await world.delete(resources.pods, `pod${number}`);
  return created;
}
