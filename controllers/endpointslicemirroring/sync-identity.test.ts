import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceMirroringController } from "./controller.ts";

const STRANGERS = { addressType: "IPv4", endpoints: [{ addresses: ["192.168.0.1"] }] } as const;
const controller = endpointSliceMirroringController({
  workers: 2,
  maxEndpointsPerSubset: 1_000,
  updatesBatchPeriodMs: 0,
});

let world: ControllerWorld;
let name = "";
beforeEach(async () => {
  world = await newWorld();
  await world.create<Service>(resources.services, {
    metadata: { name: "web" },
    spec: { ports: [{ port: 80 }] },
  });
  await world.create<Endpoints>(resources.endpoints, { metadata: { name: "web" }, subsets: subsets(1) });
  await world.start(controller);
  await world.run(5_000);
  name = (await slices())[0]?.metadata.name ?? "";
  world.takeWrites();
});
afterEach(async () => world.stop());

test("a slice that a finalizer keeps when somebody deletes it is replaced", async () => {
  await world.update<EndpointSlice>(resources.endpointSlices, name, (each) => ({
    ...each,
    metadata: { ...each.metadata, finalizers: ["x.io/hold"] },
  }));
  await world.run();
  await world.delete(resources.endpointSlices, name);
  await world.run(20_000);
  await write(2);
  await world.run(20_000);
  const replaced = (await slices()).filter(({ metadata }) => metadata.name !== name);
  expect(replaced.map(({ endpoints }) => endpoints?.length)).toEqual([2]);
  // What is written to one that is going away would not last.
  expect(world.takeWrites().map((each) => lineOf(each).endsWith(name))).toEqual([false, false]);
});

test("Endpoints whose slice is kept by a finalizer get one again", async () => {
  await world.update<EndpointSlice>(resources.endpointSlices, name, (each) => ({
    ...each,
    metadata: { ...each.metadata, finalizers: ["x.io/hold"] },
  }));
  await write(0);
  await world.run(5_000);
  await write(2);
  await world.run(20_000);
  const replaced = (await slices()).filter(({ metadata }) => metadata.name !== name);
  expect(replaced.map(({ endpoints }) => endpoints?.length)).toEqual([2]);
});

test.each<[string, number]>([
  ["deleted", 0],
  ["written over", 2],
])("somebody else's slice is not %s, though it has the name of one that was", async (_, addresses) => {
  const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
  await world.delete(resources.endpointSlices, name);
  await world.create<EndpointSlice>(resources.endpointSlices, { metadata: { name }, ...STRANGERS });
  await write(addresses);
  await world.run(5_000);
  release();
  await world.run(60_000);
  expect(await world.get<EndpointSlice>(resources.endpointSlices, name)).toMatchObject(STRANGERS);
  const own = (await slices()).filter(({ metadata }) => metadata.name !== name);
  expect(own.flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(addresses);
});

test("a slice is made again when somebody deletes it before the cache has seen it", async () => {
  await write(0);
  await world.run(5_000);
  const listAnew = world.hideEvents("endpointslices");
  await write(1);
  await world.run(500);
  await world.delete(resources.endpointSlices, (await slices())[0]?.metadata.name ?? "");
  listAnew();
  await world.run(60_000);
  expect(await slices()).toHaveLength(1);
});

test("slices that the cache does not show yet are neither made nor deleted again", async () => {
  const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
  for (const addresses of [0, 1, 2]) {
    await write(addresses);
    await world.run(5_000);
  }
  release();
  await world.run(20_000);
  const writes = world.takeWrites();
  expect(writes.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
  expect((await slices()).map(({ endpoints }) => endpoints?.length)).toEqual([2]);
});

test("a slice that the cache does not show yet gets what is written later", async () => {
  await write(0);
  await world.run(5_000);
  const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
  for (const addresses of [1, 2]) {
    await write(addresses);
    await world.run(5_000);
  }
  release();
  await world.run(20_000);
  expect(world.takeWrites().filter(({ verb }) => verb === "create")).toHaveLength(1);
  expect((await slices()).map(({ endpoints }) => endpoints?.length)).toEqual([2]);
});

test("slices go when the Service gets a selector, each as soon as that is possible", async () => {
  await world.update<Endpoints>(resources.endpoints, "web", (each) => ({
    ...each,
    subsets: [...subsets(1), { addresses: [{ ip: "10.0.0.9" }], ports: [{ port: 81 }] }],
  }));
  await world.run(5_000);
  const refused = { target: { verb: "delete", resource: "endpointslices", name }, times: 2 };
  world.server.parts.faults.add({
    ...refused,
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await world.update<Service>(resources.services, "web", (each) => ({
    ...each,
    spec: { ...each.spec, selector: { app: "web" } },
  }));
  await world.run(500);
  expect((await slices()).map(({ metadata }) => metadata.name)).toEqual([name]);
  await world.run(20_000);
  expect(await slices()).toEqual([]);
});

test("slices are not asked for again and again in a namespace that is going away", async () => {
  await world.delete(resources.endpointSlices, name);
  world.refuseCreations("endpointslices");
  await world.run(60_000);
  expect(world.takeWrites().map(lineOf)).toEqual(["create endpointslices"]);
});

async function write(addresses: number): Promise<void> {
  await world.update<Endpoints>(resources.endpoints, "web", (each) => ({
    ...each,
    subsets: subsets(addresses),
  }));
}

function subsets(addresses: number): NonNullable<Endpoints["subsets"]> {
  const ips = Array.from({ length: addresses }, (_, index) => ({ ip: `10.0.0.${index + 1}` }));
  return addresses === 0 ? [] : [{ addresses: ips, ports: [{ port: 80 }] }];
}

async function slices(): Promise<readonly EndpointSlice[]> {
  return world.list<EndpointSlice>(resources.endpointSlices);
}
