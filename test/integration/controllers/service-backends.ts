import { resources } from "../../../pkg/api/resources.ts";
import type {
  Endpoints,
  EndpointAddress,
  Node,
  Pod,
  PodStatus,
  Service,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isAlreadyExists } from "../../../pkg/client/errors.ts";
import type { TestSpace } from "../../harness/test-space.ts";

export const LABELS = { foo: "bar" };
const NODE = "fake-node";

export async function createNode(client: ClientSet): Promise<void> {
  try {
    await client.clientFor<Node>(resources.nodes).create({ metadata: { name: NODE } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

export function service(name: string, spec: Service["spec"] = {}, labels = {}): Service {
  return { metadata: { name, labels }, spec: { ports: [{ port: 443 }], selector: LABELS, ...spec } };
}

/** A pod whose node is there, and which a kubelet would have to end. */
export async function createPod(
  space: TestSpace,
  name: string,
  ips: readonly string[],
  ready = "True",
): Promise<Pod> {
  const made = await space.create<Pod>(resources.pods, {
    metadata: { name, labels: LABELS },
    spec: { nodeName: NODE, containers: [{ name: "c", image: "image" }] },
  });
  return setStatus(space, made, ips, ready);
}

export async function setStatus(
  space: TestSpace,
  pod: Pod,
  ips: readonly string[],
  ready: string,
): Promise<Pod> {
  const status: PodStatus = {
    phase: "Running",
    conditions: [{ type: "Ready", status: ready }],
    ...(ips[0] !== undefined && { podIP: ips[0] }),
    podIPs: ips.map((ip) => ({ ip })),
  };
  return space.client.clientFor<Pod>(resources.pods).updateStatus({ ...pod, status });
}

export async function slicesOf(
  space: TestSpace,
  name: string,
  managedBy?: string,
): Promise<readonly EndpointSlice[]> {
  const all = await space.list<EndpointSlice>(resources.endpointSlices);
  return all.filter(
    ({ metadata: { labels } }) =>
      labels?.["kubernetes.io/service-name"] === name &&
      (managedBy === undefined || labels["endpointslice.kubernetes.io/managed-by"] === managedBy),
  );
}

export async function untilSlices(
  space: TestSpace,
  name: string,
  what: string,
  holds: (slices: readonly EndpointSlice[]) => boolean,
): Promise<readonly EndpointSlice[]> {
  return space.until(`the slices of ${name} ${what}`, async () => slicesOf(space, name), holds);
}

export async function untilEndpoints(
  space: TestSpace,
  name: string,
  what: string,
  holds: (endpoints: Endpoints) => boolean,
): Promise<Endpoints> {
  const look = async (): Promise<Endpoints | undefined> => space.find<Endpoints>(resources.endpoints, name);
  const seen = await space.until(
    `the Endpoints of ${name} ${what}`,
    look,
    (each) => each !== undefined && holds(each),
  );
  if (seen === undefined) throw new Error("they are gone again");
  return seen;
}

export function endpointsIn(slices: readonly EndpointSlice[]): readonly Endpoint[] {
  return slices.flatMap(({ endpoints }) => endpoints ?? []);
}

export function readyAddresses({ subsets = [] }: Endpoints): readonly EndpointAddress[] {
  return subsets.flatMap(({ addresses = [] }) => addresses);
}
