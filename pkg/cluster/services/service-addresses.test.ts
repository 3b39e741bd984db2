import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { resources } from "../../api/resources.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import type { IPAddress, ServiceCIDR } from "../../api/types/networking-v1.gen.ts";
import { serviceAddresses } from "./service-addresses.ts";

const CIDRS = ["10.0.0.0/24", "2001:db8::/112"];

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

const start = async () => world.start(serviceAddresses({ cidrs: CIDRS }));

async function give(name: string, ...clusterIPs: readonly string[]): Promise<void> {
  const [clusterIP = "None"] = clusterIPs;
  await world.create<Service>(resources.services, {
    metadata: { name },
    spec: { clusterIP, clusterIPs, ports: [{ port: 80 }] },
  });
  await world.run();
}

async function keep(
  name: string,
  holder: string,
  { managedBy = "ipallocator.k8s.io", namespace = "default" } = {},
): Promise<void> {
  await world.create<IPAddress>(resources.ipAddresses, {
    metadata: {
      name,
      labels: {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": managedBy,
      },
    },
    spec: { parentRef: { group: "", resource: "services", namespace, name: holder } },
  });
  await world.run();
}

async function held(): Promise<readonly string[]> {
  const all = await world.list<IPAddress>(resources.ipAddresses);
  return all.map(
    ({ metadata, spec }) => `${metadata.name} ${spec?.parentRef?.namespace}/${spec?.parentRef?.name}`,
  );
}

test("an address of a service is there as long as the service has it", async () => {
  await start();
  await give("web", "10.0.0.5", "2001:db8::5");
  await give("headless", "None");
  expect(await world.get<IPAddress>(resources.ipAddresses, "10.0.0.5")).toMatchObject({
    metadata: {
      labels: {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
  });
  expect(await held()).toEqual(["10.0.0.5 default/web", "2001:db8::5 default/web"]);
  await world.delete(resources.services, "web");
  await world.run();
  expect(await held()).toEqual([]);
});

test("who comes to a cluster that has run without it finds out what is missing, and what is too much", async () => {
  await give("web", "10.0.0.5");
  await give("moved", "10.0.0.6");
  await keep("10.0.0.6", "another");
  await keep("10.0.0.7", "gone");
  await keep("10.0.0.8", "gateway", { managedBy: "gateways.example.com" });
  await give("here", "10.0.0.9");
  await keep("10.0.0.9", "here", { namespace: "elsewhere" });
  await start();
  await world.run();
  // Its service may be about to come.
  expect(await held()).toContain("10.0.0.7 default/gone");
  await world.run(60_000);
  expect(await held()).toEqual([
    "10.0.0.5 default/web",
    "10.0.0.6 default/moved",
    "10.0.0.8 default/gateway",
    "10.0.0.9 default/here",
  ]);
});

test("a service that becomes a name gives its address back", async () => {
  await start();
  await give("web", "10.0.0.5");
  await world.update<Service>(resources.services, "web", ({ metadata, spec }) => ({
    metadata,
    spec: { type: "ExternalName", externalName: "example.com", ports: spec?.ports ?? [] },
  }));
  await world.run();
  expect(await held()).toEqual([]);
});

test("what somebody deletes that a service has is made again", async () => {
  await start();
  await give("web", "10.0.0.5");
  await world.delete(resources.ipAddresses, "10.0.0.5");
  await world.run();
  expect(await held()).toEqual(["10.0.0.5 default/web"]);
});

test("the range of the cluster is there, is ready, and is left alone then", async () => {
  await start();
  await world.run();
  const range = await world.get<ServiceCIDR>(resources.serviceCIDRs, "kubernetes");
  expect(range.spec?.cidrs).toEqual(CIDRS);
  expect(range.status?.conditions).toMatchObject([
    { type: "Ready", status: "True", message: "Kubernetes default Service CIDR is ready" },
  ]);
  world.takeWrites();
  await world.run(60_000);
  expect(world.takeWrites().map(lineOf)).toEqual([]);
});

test.each([
  ["ranges of others", "another", CIDRS],
  ["a range of the name that is not the server's", "kubernetes", ["10.9.0.0/24"]],
])("nothing is said of %s", async (_, name, cidrs) => {
  await world.create<ServiceCIDR>(resources.serviceCIDRs, { metadata: { name }, spec: { cidrs } });
  await start();
  await world.run();
  expect((await world.get<ServiceCIDR>(resources.serviceCIDRs, name)).status?.conditions).toBeUndefined();
});
