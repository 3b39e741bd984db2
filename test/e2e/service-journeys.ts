import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";

async function addressesInSlices(client: ClientSet, namespace: string): Promise<number> {
  const { items } = await client.clientFor<EndpointSlice>(resources.endpointSlices).list({ namespace });
  return items.flatMap(({ endpoints }) => endpoints ?? []).length;
}

async function addressesInEndpoints(client: ClientSet, namespace: string): Promise<number> {
  const { items } = await client.clientFor<Endpoints>(resources.endpoints).list({ namespace });
  const subsets = items.flatMap((endpoints) => endpoints.subsets ?? []);
  return subsets.flatMap(({ addresses }) => addresses ?? []).length;
}

async function untilCounts(
  client: ClientSet,
  namespace: string,
  slices: number,
  endpoints: number,
): Promise<void> {
  await until(`slices have ${slices} addresses and Endpoints ${endpoints}`, async () => {
    const counts = [
      await addressesInSlices(client, namespace),
      await addressesInEndpoints(client, namespace),
    ];
    return counts[0] === slices && counts[1] === endpoints;
  });
}

/** A Service has the pods of a Deployment as endpoints of both kinds, which are created, changed and deleted. */
export async function serviceJourney(client: ClientSet, namespace: string): Promise<void> {
  const deployments = new Deployments(client, namespace);
  const services = client.clientFor<Service>(resources.services);
  const ref = { namespace, name: "web" };
  await services.create({
    metadata: ref,
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await deployments.create("web", 3);
  await untilCounts(client, namespace, 3, 3);
  await deployments.patch("web", { replicas: 1 });
  await untilCounts(client, namespace, 1, 1);
  await deployments.roll("web", "main:2");
  await until("the Deployment is complete", async () => deployments.isComplete("web"));
  await untilCounts(client, namespace, 1, 1);
  await services.delete(ref);
  await untilCounts(client, namespace, 0, 0);
  await deployments.patch("web", { replicas: 0 });
}

/** Endpoints that are kept by hand are mirrored: slices of theirs are created, changed and deleted. */
export async function mirroringJourney(client: ClientSet, namespace: string): Promise<void> {
  const endpoints = client.clientFor<Endpoints>(resources.endpoints);
  const ref = { namespace, name: "external" };
  await client
    .clientFor<Service>(resources.services)
    .create({ metadata: ref, spec: { ports: [{ port: 80 }] } });
  const subset = (...ips: readonly string[]): Endpoints["subsets"] => [
    { addresses: ips.map((ip) => ({ ip })), ports: [{ port: 80 }] },
  ];
  await endpoints.create({ metadata: ref, subsets: subset("10.9.0.1") ?? [] });
  await untilCounts(client, namespace, 1, 1);
  await endpoints.patch(ref, { type: "merge", body: { subsets: subset("10.9.0.1", "10.9.0.2") } });
  await untilCounts(client, namespace, 2, 2);
  await endpoints.delete(ref);
  await untilCounts(client, namespace, 0, 0);
}
