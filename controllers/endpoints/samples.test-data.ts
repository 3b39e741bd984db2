import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";

export function service(name: string, spec: Stored<Service>["spec"] = {}): Stored<Service> {
  return asStored<Service>({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default", uid: `${name}-uid`, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: {
      clusterIP: "1.1.1.1",
      ipFamilies: ["IPv4"],
      ports: [{ port: 80, protocol: "TCP", targetPort: 8_080 }],
      selector: { foo: "bar" },
      ...spec,
    },
  });
}

export interface PodSketch {
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly phase?: string;
  readonly ips?: readonly string[];
}

/** Number 7 has the address 1.2.3.11. */
export function pod(number: number, sketch: PodSketch = {}): Stored<Pod> {
  const { ready = true, terminating = false, phase = "Running" } = sketch;
  const ips = sketch.ips ?? [`1.2.${3 + Math.floor((4 + number) / 256)}.${(4 + number) % 256}`];
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod${number}`,
      namespace: "default",
      uid: `pod${number}-uid`,
      labels: { foo: "bar" },
      ...(terminating && { deletionTimestamp: "2026-01-01T01:00:00Z" }),
    },
    spec: { containers: [{ name: "c", image: "image" }] },
    status: {
      phase,
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      podIP: ips[0] ?? "",
      podIPs: ips.map((ip) => ({ ip })),
    },
  });
}

export function pods(count: number, sketch: PodSketch = {}): readonly Stored<Pod>[] {
  return Array.from({ length: count }, (_, number) => pod(number, sketch));
}

export function targetRef(number: number): object {
  return { kind: "Pod", namespace: "default", name: `pod${number}`, uid: `pod${number}-uid` };
}

/** One named "foo". */
export async function serviceIn(
  world: ControllerWorld,
  spec: Stored<Service>["spec"] = {},
): Promise<Service> {
  const { clusterIP: _, ipFamilies, ...plain } = { ...service("foo").spec, ...spec };
  const families = plain.type === "ExternalName" || ipFamilies === undefined ? {} : { ipFamilies };
  return world.create<Service>(resources.services, {
    metadata: { name: "foo" },
    spec: { ...plain, ...families },
  });
}

export async function podIn(world: ControllerWorld, number: number): Promise<Pod> {
  const sample = pod(number);
  const metadata = { name: `pod${number}`, labels: { foo: "bar" } };
  const spec = { containers: [], ...sample.spec, nodeName: "node" };
  return world.createWithStatus<Pod>(resources.pods, { ...sample, metadata, spec });
}
