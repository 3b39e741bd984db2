import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointsController } from "./controller.ts";
import { podIn, serviceIn } from "./samples.test-data.ts";

const settings = { workers: 2, updatesBatchPeriodMs: 0 };
const controller = endpointsController(settings);

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/endpoint/endpoints_controller_test.go
describe("nothing is written", () => {
  test.each<[string, Service["spec"]]>([
    ["TestSyncEndpointsItemsPreserveNoSelector", { selector: {} }],
    [
      "TestSyncServiceExternalNameType: with a selector",
      { type: "ExternalName", externalName: "example.com" },
    ],
    [
      "TestSyncServiceExternalNameType: without ports",
      { type: "ExternalName", externalName: "example.com", ports: [] },
    ],
    [
      "TestSyncServiceExternalNameType: with nothing",
      { type: "ExternalName", externalName: "example.com", selector: {} },
    ],
  ])("%s", async (_, spec) => {
    await createPod(0);
    await createService(spec);
    await world.start(controller);
    expect(lines()).toEqual([]);
  });

  test("in a namespace that is going away, and nobody is told", async () => {
    world.refuseCreations("endpoints");
    await createService();
    await createPod(0);
    await world.start(controller);
    await world.run(60_000);
    expect(lines()).toEqual(["create endpoints"]);
    expect(await world.events()).toEqual([]);
  });
});

describe("Endpoints", () => {
  test("TestCheckLeftoverEndpoints, TestSyncEndpointsServiceNotFound: left over from a Service are deleted, locks are not", async () => {
    await world.create<Endpoints>(resources.endpoints, { metadata: { name: "foo" } });
    const annotations = { "control-plane.alpha.kubernetes.io/leader": "{}" };
    await world.create<Endpoints>(resources.endpoints, { metadata: { name: "lock", annotations } });
    await world.start(controller);
    expect(lines()).toEqual(["delete endpoints foo"]);
  });

  test("TestEndpointsDeletionEvents: that somebody deletes come back", async () => {
    await createService();
    await createPod(0);
    await world.start(controller);
    await world.delete(resources.endpoints, "foo");
    await world.run();
    expect(await addresses()).toEqual(["1.2.3.4"]);
  });

  test("TestMultipleServiceChanges, TestMultiplePodChanges: are what pods and Service come to in the end", async () => {
    await createService();
    await createPod(0);
    await world.start(controller);
    // The cache does not see what is written, and must not undo it.
    const release = world.server.parts.faults.holdWatches({ resource: "endpoints" });
    for (const ready of ["False", "True", "False", "True"]) {
      await setStatus(0, { conditions: [{ type: "Ready", status: ready }] });
      await world.run(100);
    }
    release();
    await world.run(5_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
    expect(world.takeWrites().filter(({ status }) => status >= 400)).toEqual([]);
    await world.delete(resources.services, "foo");
    await createService({ selector: { foo: "other" } });
    await world.run();
    expect(await addresses()).toEqual([]);
  });

  test("that could not be written are written later, and an event tells", async () => {
    const refuse = (verb: string): (() => void) =>
      world.server.parts.faults.add({
        target: { verb, resource: "endpoints" },
        action: { kind: "status", when: "before", error: internal("down") },
      });
    const allowCreate = refuse("create");
    await createService();
    await createPod(0);
    await world.start(controller);
    allowCreate();
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
    const allowUpdate = refuse("update");
    await createPod(1);
    await world.run();
    allowUpdate();
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.4", "1.2.3.5"]);
    const events = await world.events();
    expect(events[0]).toContain("FailedToCreateEndpoint Failed to create endpoint for service default/foo: ");
    expect(events.some((text) => text.startsWith("FailedToUpdateEndpoint "))).toBe(true);
  });
});

// upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestPodUpdatesBatching, TestPodAddsBatching, TestPodDeleteBatching
describe.each<[string, number, readonly number[], number]>([
  ["no batching", 0, [200, 100, 100], 3],
  ["one batch", 1_000, [200, 100, 100], 1],
  ["two batches", 1_000, [200, 100, 1_000], 2],
])("three changes with %s", (_, updatesBatchPeriodMs, delays, writes) => {
  test.each<[string, (number: number) => Promise<void>]>([
    ["additions", async (number) => createPod(20 + number)],
    [
      "changes",
      async (number) =>
        setStatus(number, { podIP: `10.0.0.${number}`, podIPs: [{ ip: `10.0.0.${number}` }] }),
    ],
    ["deletions", async (number) => world.delete(resources.pods, `pod${number}`)],
  ])("%s", async (_what, change) => {
    await createService();
    for (let number = 0; number < 10; number++) await createPod(number);
    await world.start(endpointsController({ ...settings, updatesBatchPeriodMs }));
    await world.run(5_000);
    lines();
    for (const [number, delay] of delays.entries()) {
      await world.run(delay);
      await change(number);
    }
    await world.run(3_000);
    expect(lines()).toHaveLength(writes);
  });
});

function lines(): readonly string[] {
  return world
    .takeWrites()
    .filter(({ resource }) => resource !== "events")
    .map(lineOf);
}

async function addresses(): Promise<readonly string[]> {
  const { subsets = [] } = await world.get<Endpoints>(resources.endpoints, "foo");
  return subsets.flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
}

async function createService(spec: Service["spec"] = {}): Promise<void> {
  await serviceIn(world, spec);
}

async function createPod(number: number): Promise<void> {
  await podIn(world, number);
}

async function setStatus(number: number, change: NonNullable<Pod["status"]>): Promise<void> {
  const current = await world.get<Pod>(resources.pods, `pod${number}`);
  const status = { ...current.status, ...change };
  await world.client.clientFor<Pod>(resources.pods).updateStatus({ ...current, status });
}
