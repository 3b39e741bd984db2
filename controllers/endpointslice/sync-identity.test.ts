import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { noMetrics, type Metrics } from "../../pkg/metrics/metrics.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceController } from "./controller.ts";
import { NAMESPACE, node, podIn, serviceIn } from "./samples.test-data.ts";

const settings = { workers: 2, maxEndpointsPerSlice: 3, updatesBatchPeriodMs: 1_000 };
const controller = endpointSliceController(settings);
const AUTO = { "service.kubernetes.io/topology-mode": "Auto" };

let world: ControllerWorld;
let syncs = 0;
beforeEach(async () => {
  syncs = 0;
  const metrics: Metrics = {
    ...noMetrics,
    counter: (options) => {
      const counter = noMetrics.counter(options);
      const inc = (): void => void (options.name === "endpoint_slice_controller_syncs" && syncs++);
      return { ...counter, inc };
    },
  };
  world = await newWorld({ metrics });
  await world.createWithStatus<Node>(resources.nodes, node("node-1", { zone: "a", cpu: "4" }));
  await world.createWithStatus<Node>(resources.nodes, node("node-2", { zone: "b", cpu: "4" }));
});
afterEach(async () => world.stop());

describe("what is remembered of hints", () => {
  beforeEach(async () => {
    await serviceIn(world, {}, { annotations: AUTO });
    await podIn(world, 0);
    await podIn(world, 1, { node: "node-2" });
    await world.start(controller);
    expect(await topologyEvents()).toEqual(["TopologyAwareHintsEnabled"]);
  });

  test.each<[string, () => Promise<void>]>([
    ["goes with its Service", async () => world.run()],
    ["is not that of another of its name, though nobody saw the first go", async () => undefined],
  ])("%s", async (_, pass) => {
    const listAnew = world.hideEvents("services");
    await world.delete(resources.services, "web");
    await pass();
    await serviceIn(world);
    listAnew();
    await world.run(10_000);
    expect(await topologyEvents()).toEqual(["TopologyAwareHintsEnabled"]);
  });

  test("does not cost a Service its hints when the next process starts", async () => {
    await world.stop();
    world.takeWrites();
    await world.start(controller);
    await world.run(10_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("wakes nobody when its Service is gone", async () => {
    await world.delete(resources.services, "web");
    await world.run(10_000);
    const before = syncs;
    // Both endpoints of "a" and "b" would be too few for it now.
    for (const name of ["node-3", "node-4", "node-5"])
      await world.createWithStatus<Node>(resources.nodes, node(name, { zone: name, cpu: "4" }));
    await world.run(10_000);
    expect(syncs).toBe(before);
  });
});

describe("slices", () => {
  test("are right soon after an outage, however long it was", async () => {
    await serviceIn(world);
    await world.start(controller);
    await podIn(world, 0);
    await world.run(500);
    world.server.crash();
    await world.run(300_000);
    world.server.restart();
    await world.run(10_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
  });

  test("are made again when somebody deletes them before the cache has seen them", async () => {
    await world.start(controller);
    await podIn(world, 0);
    await world.run();
    const listAnew = world.hideEvents("endpointslices");
    await serviceIn(world);
    await world.run(500);
    await world.delete(resources.endpointSlices, (await slices())[0]?.metadata.name ?? "");
    listAnew();
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
  });

  test("that were created are not created again while the cache does not show it", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
    await serviceIn(world);
    for (const number of [0, 1, 2]) {
      await podIn(world, number);
      await world.run(5_000);
    }
    expect(await slices()).toHaveLength(1);
    release();
    await world.run(5_000);
    expect(await addresses()).toEqual(["1.2.3.4", "1.2.3.5", "1.2.3.6"]);
  });

  /** Four pods fill one slice and begin another; gives the name of that, and its pod has gone when this returns. */
  async function emptySlice(beforeItGoes: (name: string) => Promise<void>): Promise<string> {
    await serviceIn(world);
    for (let number = 0; number < 4; number++) await podIn(world, number);
    await world.start(controller);
    await world.run(5_000);
    const last = (await slices()).find(({ endpoints }) => endpoints?.length === 1);
    const name = last?.metadata.name ?? "";
    world.takeWrites();
    await beforeItGoes(name);
    const ref = { namespace: NAMESPACE, name: last?.endpoints?.[0]?.targetRef?.name ?? "" };
    await world.client.clientFor(resources.pods).delete(ref, { gracePeriodSeconds: 0 });
    await world.run(5_000);
    return name;
  }

  test("that were deleted are not written to while the cache does not show it", async () => {
    let release = (): void => undefined;
    await emptySlice(async () => {
      release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
    });
    await podIn(world, 5);
    await world.run(5_000);
    release();
    await world.run(5_000);
    const writes = world.takeWrites();
    expect(writes.filter(({ status }) => status >= 400)).toEqual([]);
    expect(writes.filter(({ verb }) => verb === "delete")).toHaveLength(1);
    expect(await addresses()).toHaveLength(4);
  });

  test("of somebody else are not deleted, though they have the name of one that was to go", async () => {
    let release = (): void => undefined;
    const name = await emptySlice(async (each) => {
      release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
      await replace(each);
    });
    expect(await addressesOf(name)).toEqual(["10.0.0.1"]);
    release();
    await world.run(60_000);
    expect(await addressesOf(name)).toEqual(["10.0.0.1"]);
    expect(await addresses()).toHaveLength(4);
  });

  test("of a Service that is being deleted are not asked for again and again", async () => {
    await serviceIn(world, {}, { finalizers: ["x.io/hold"] });
    await world.delete(resources.services, "web");
    await world.start(controller);
    await world.run(60_000);
    expect(world.takeWrites()).toEqual([]);
    expect(syncs).toBeLessThan(5);
  });

  test("are not asked for again and again in a namespace that is going away", async () => {
    await serviceIn(world);
    world.refuseCreations("endpointslices");
    await world.start(controller);
    await world.run(60_000);
    expect(world.takeWrites().map(lineOf)).toEqual(["create endpointslices"]);
    expect(syncs).toBeLessThan(5);
  });

  test("of somebody else are left alone, though they have got the name of one that was to go", async () => {
    await serviceIn(world);
    await podIn(world, 0);
    await world.start(controller);
    const name = (await slices())[0]?.metadata.name ?? "";
    const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
    await replace(name);
    await world.update(resources.services, "web", (each) => ({
      ...each,
      spec: { ...each.spec, ports: [{ port: 81 }] },
    }));
    await world.run();
    expect(await addressesOf(name)).toEqual(["10.0.0.1"]);
    release();
    await world.run(60_000);
    expect(await addressesOf(name)).toEqual(["10.0.0.1"]);
    expect(await addresses()).toEqual(["1.2.3.4", "10.0.0.1"]);
  });
});

/** Somebody puts a slice of his own in its place. */
async function replace(name: string): Promise<void> {
  await world.delete(resources.endpointSlices, name);
  await world.create<EndpointSlice>(resources.endpointSlices, {
    metadata: { name },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
  });
}

async function topologyEvents(): Promise<readonly string[]> {
  const all = await world.events();
  return all
    .map((line) => line.split(" ")[0] ?? "")
    .filter((reason) => reason.startsWith("TopologyAwareHints"));
}

async function slices(): Promise<readonly EndpointSlice[]> {
  return world.list<EndpointSlice>(resources.endpointSlices);
}

async function addresses(): Promise<readonly string[]> {
  return (await slices())
    .flatMap(({ endpoints }) => endpoints ?? [])
    .flatMap((endpoint) => endpoint.addresses)
    .toSorted((one, other) => (one < other ? -1 : 1));
}

async function addressesOf(name: string): Promise<readonly string[]> {
  const { endpoints } = await world.get<EndpointSlice>(resources.endpointSlices, name);
  return (endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
}
