import { resources } from "../../pkg/api/resources.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import type { Endpoints, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { Deployments } from "../harness/deployments.ts";
import type { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";

type Spec = NonNullable<Service["spec"]>;

const LIMIT_MS = 90_000;
const SERVICE_NAME = "kubernetes.io/service-name";
const http = { name: "http", port: 80, targetPort: 8_080 };
const ports = ["http", "https", "metrics", "admin", "debug"].map((name, index) => ({
  name,
  port: 80 + index,
  targetPort: 8_000 + index,
  ...(index === 1 && { appProtocol: "kubernetes.io/h2c" }),
}));

/** Services of every sort, all with the same pods. */
const kinds: Readonly<Record<string, Spec>> = {
  plain: {},
  ports: { ports },
  headless: { clusterIP: "None" },
  portless: { clusterIP: "None", ports: [] },
  publishing: { publishNotReadyAddresses: true },
  near: { trafficDistribution: "PreferSameZone" },
  nearest: { trafficDistribution: "PreferSameNode" },
  empty: { selector: { app: "nobody" } },
  name: { type: "ExternalName", externalName: "example.com" },
};

async function createService(space: TestSpace, name: string, spec: Spec): Promise<void> {
  await space.create<Service>(resources.services, {
    metadata: { name, labels: { kind: name } },
    spec: { selector: { app: "web" }, ports: [http], ...spec },
  });
}

/** So many pods that one slice does not hold them, behind Services of every sort; and Endpoints kept by hand. */
export async function settle(space: TestSpace, replicas = 120): Promise<void> {
  const deployments = new Deployments(space.client, space.namespace);
  await deployments.create("web", replicas);
  for (const [name, spec] of Object.entries(kinds)) await createService(space, name, spec);
  await space.create<Service>(resources.services, {
    metadata: { name: "external" },
    spec: { ports: [http] },
  });
  await space.create<Endpoints>(resources.endpoints, {
    metadata: { name: "external", labels: { by: "hand" }, annotations: { note: "x" } },
    subsets: [
      { addresses: [{ ip: "10.9.0.2" }, { ip: "10.9.0.1" }], ports: [{ name: "http", port: 80 }] },
      { notReadyAddresses: [{ ip: "2001:db8::1" }], ports: [{ name: "https", port: 443 }] },
    ],
  });
  await until("the pods are ready", async () => deployments.isComplete("web"), LIMIT_MS);
  for (const name of Object.keys(kinds).filter((each) => each !== "name")) {
    await untilRight(space, name, name === "empty" ? "nobody" : "web");
  }
  await until("the Endpoints are mirrored", async () => (await addressesIn(space, "external")).length === 3);
}

/** The Service's slices and its Endpoints have the addresses of all pods with this label that are ready. */
export async function untilRight(space: TestSpace, service: string, app: string): Promise<void> {
  await until(
    `${service} has its pods`,
    async () => {
      const pods = (await space.pods()).filter(({ metadata }) => metadata.labels?.["app"] === app);
      const ready = pods.filter((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined);
      const wanted = ready.map((pod: Pod) => pod.status?.podIP ?? "").toSorted(compare);
      const { subsets = [] } = (await space.find<Endpoints>(resources.endpoints, service)) ?? {};
      const listed = new Set(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)));
      const sliced = await addressesIn(space, service);
      return [[...listed].toSorted(compare), sliced].every((found) => found.join() === wanted.join());
    },
    LIMIT_MS,
  );
}

async function addressesIn(space: TestSpace, service: string): Promise<readonly string[]> {
  const slices = await space.list<EndpointSlice>(resources.endpointSlices);
  return slices
    .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service)
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready === true || service === "external")
    .flatMap(({ addresses }) => addresses)
    .toSorted(compare);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
