import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Event, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceMirroringController } from "./controller.ts";

const NAME = "test-ep";
const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const OURS = "endpointslicemirroring-controller.k8s.io";
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const controller = endpointSliceMirroringController({
  workers: 2,
  maxEndpointsPerSubset: 1_000,
  updatesBatchPeriodMs: 0,
});

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/endpointslicemirroring/endpointslicemirroring_controller_test.go#TestSyncEndpoints
describe("Endpoints are mirrored", () => {
  test.for<[string, Service["spec"] | undefined, number, Endpoints["metadata"], number]>([
    ["not without addresses", {}, 0, {}, 0],
    ["not when they say so", {}, 1, { labels: { [SKIP]: "true" } }, 0],
    ["when they say that they should be", {}, 1, { labels: { [SKIP]: "false" } }, 1],
    ["not without a Service", undefined, 1, {}, 0],
    ["not where the Service has a selector", { selector: { foo: "bar" } }, 1, {}, 0],
    ["a thousand addresses", {}, 1_000, {}, 1],
    ["no more than a thousand addresses", {}, 1_001, {}, 1],
  ])("%s", async ([, spec, addresses, metadata, slices]) => {
    if (spec !== undefined) await createService(spec);
    await createEndpoints(addresses, metadata);
    await world.start(controller);
    const made = await world.list<EndpointSlice>(resources.endpointSlices);
    expect(made).toHaveLength(slices);
    expect(world.takeWrites().filter(({ resource }) => resource !== "events")).toHaveLength(slices);
    if (slices > 0) expect(made[0]?.endpoints).toHaveLength(Math.min(addresses, 1_000));
    const events = await world.list<Event>(resources.events);
    expect(events.map(({ reason }) => reason)).toEqual(addresses > 1_000 ? ["TooManyAddressesToMirror"] : []);
  });

  // upstream: … #TestSyncEndpoints, #TestEndpointSlicesMirroredForService
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["goes", { [SERVICE_NAME]: NAME, [MANAGED_BY]: OURS }, ["delete endpointslices old"]],
    ["of something else stays", { [MANAGED_BY]: "something-else" }, []],
    ["of another Service stays", { [SERVICE_NAME]: "other", [MANAGED_BY]: OURS }, []],
    ["of another controller stays", { [SERVICE_NAME]: NAME, [MANAGED_BY]: "other" }, []],
    ["of nobody stays", { [SERVICE_NAME]: NAME }, []],
    ["for no Service stays", { [MANAGED_BY]: OURS }, []],
  ])("when there are no addresses, a slice %s", async (_, labels, lines) => {
    await createService({});
    await createEndpoints(0, {});
    // Those of another Service are cleaned up for themselves, as nobody has Endpoints for it.
    if (labels[SERVICE_NAME] === "other")
      await createEndpoints(1, { name: "other", labels: { [SKIP]: "true" } });
    await world.create<EndpointSlice>(resources.endpointSlices, {
      metadata: { name: "old", labels },
      addressType: "IPv4",
      endpoints: [],
    });
    await world.start(controller);
    const expected = labels[SERVICE_NAME] === "other" ? ["delete endpointslices old"] : lines;
    expect(world.takeWrites().map(lineOf)).toEqual(expected);
  });

  test("and their slice is put right when somebody changes it", async () => {
    await createService({});
    await createEndpoints(2, {});
    await world.start(controller);
    const [slice] = await world.list<EndpointSlice>(resources.endpointSlices);
    const name = slice?.metadata.name ?? "";
    await world.update<EndpointSlice>(resources.endpointSlices, name, (each) => ({ ...each, endpoints: [] }));
    await world.run();
    expect((await world.get<EndpointSlice>(resources.endpointSlices, name)).endpoints).toHaveLength(2);
    world.takeWrites();
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });
});

async function createService(spec: Service["spec"]): Promise<void> {
  await world.create<Service>(resources.services, {
    metadata: { name: NAME },
    spec: { ports: [{ port: 80 }], ...spec },
  });
}

async function createEndpoints(count: number, metadata: Endpoints["metadata"]): Promise<void> {
  const addresses = Array.from({ length: count }, (_, index) => ({
    ip: `10.0.${Math.floor(index / 250)}.${1 + (index % 250)}`,
  }));
  await world.create<Endpoints>(resources.endpoints, {
    metadata: { name: NAME, ...metadata },
    ...(count > 0 && { subsets: [{ addresses, ports: [{ port: 80 }] }] }),
  });
}
