import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keyOf } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceController } from "./controller.ts";
import { node, podIn, type PodSketch, service, serviceIn } from "./samples.test-data.ts";
import { TopologyCache } from "./topology-cache.ts";

const settings = { workers: 2, maxEndpointsPerSlice: 3, updatesBatchPeriodMs: 0 };
const controller = endpointSliceController(settings);
const OURS = {
  "kubernetes.io/service-name": "web",
  "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
};

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.createWithStatus<Node>(resources.nodes, node("node-1", { zone: "a", cpu: "4" }));
});
afterEach(async () => world.stop());

// upstream: pkg/controller/endpointslice/endpointslice_controller_test.go
describe("a Service has", () => {
  test("TestSyncServiceWithSelector: a placeholder while it has no pods", async () => {
    await createService();
    await world.start(controller);
    expect(await slices()).toMatchObject([{ addressType: "IPv4", endpoints: null, ports: null }]);
    expect(lines()).toHaveLength(1);
  });

  test.each<[string, Service["spec"]]>([
    ["TestSyncServiceNoSelector", { selector: {} }],
    [
      "TestServiceExternalNameTypeSync: with everything",
      { type: "ExternalName", externalName: "example.com" },
    ],
    [
      "TestServiceExternalNameTypeSync: without selector",
      { type: "ExternalName", externalName: "example.com", selector: {} },
    ],
    [
      "TestServiceExternalNameTypeSync: without ports",
      { type: "ExternalName", externalName: "example.com", ports: [] },
    ],
    [
      "TestServiceExternalNameTypeSync: with nothing",
      { type: "ExternalName", externalName: "example.com", ports: [], selector: {} },
    ],
  ])("nothing: %s", async (_, spec) => {
    await createPod(1);
    await createService(spec);
    await world.start(controller);
    expect(lines()).toEqual([]);
  });

  test("TestSyncServicePendingDeletion: no new slices while it is being deleted", async () => {
    await createService({}, { finalizers: ["x.io/hold"] });
    await world.delete(resources.services, "web");
    await world.start(controller);
    expect(lines()).toEqual([]);
  });

  test("TestSyncServiceMissing: none when it is gone, and nobody looks for it", async () => {
    await createService();
    await world.start(controller);
    lines();
    await world.delete(resources.services, "web");
    await world.run();
    expect(lines()).toEqual([]);
  });

  test("TestSyncServicePodSelection: the pods that it selects", async () => {
    await createService();
    await createPod(1);
    await createPod(2, {}, { foo: "other" });
    await world.start(controller);
    expect(await addresses()).toEqual(["1.2.3.5"]);
  });

  test("as many slices as its pods need, and nothing is written when nothing changes", async () => {
    await createService();
    for (let number = 0; number < 5; number++) await createPod(number);
    await world.start(controller);
    const sizes = (await slices()).map(({ endpoints = [] }) => endpoints.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 3]);
    lines();
    await world.run(600_000);
    expect(lines()).toEqual([]);
  });
});

// upstream: pkg/controller/endpointslice/endpointslice_controller_test.go#TestSyncService
describe("a slice says of pods", () => {
  test.each<[string, readonly (readonly [number, PodSketch])[], readonly string[]]>([
    [
      "their addresses of its family",
      [
        [0, { ips: ["10.0.0.1", "fd08::5678:0000:0000:9abc:def0"] }],
        [1, { ips: ["10.0.0.2", "fd08::5678:0000:0000:9abc:def1"] }],
      ],
      ["10.0.0.1 true true false", "10.0.0.2 true true false"],
    ],
    [
      "that they are being deleted",
      [
        [0, { ips: ["10.0.0.1"] }],
        [1, { ips: ["10.0.0.2"], terminating: true }],
      ],
      ["10.0.0.1 true true false", "10.0.0.2 false true true"],
    ],
    [
      "that they are being deleted and not ready",
      [
        [0, { ips: ["10.0.0.1"] }],
        [1, { ips: ["10.0.0.2"], terminating: true, ready: false }],
      ],
      ["10.0.0.1 true true false", "10.0.0.2 false false true"],
    ],
    [
      "nothing when they have ended, though another has their address",
      [
        [0, { ips: ["10.0.0.1"] }],
        [1, { ips: ["10.0.0.1"], phase: "Succeeded", ready: false }],
      ],
      ["10.0.0.1 true true false"],
    ],
    [
      "each for itself when two have one address",
      [
        [0, { ips: ["10.0.0.1"] }],
        [1, { ips: ["10.0.0.1"] }],
      ],
      ["10.0.0.1 true true false", "10.0.0.1 true true false"],
    ],
  ])("%s", async (_, sketches, expected) => {
    await createService();
    for (const [number, sketch] of sketches) await createPod(number, sketch);
    await world.start(controller);
    const said = (await slices()).flatMap(({ endpoints = [] }) => endpoints);
    const texts = said.map(({ addresses: [ip], conditions = {} }) =>
      [ip, conditions.ready, conditions.serving, conditions.terminating].join(" "),
    );
    expect(texts.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(expected);
  });
});

describe("slices", () => {
  test("TestSyncServiceEndpointSlicePendingDeletion: that are being deleted are none", async () => {
    await createService();
    await world.start(controller);
    const [placeholder] = await slices();
    const name = placeholder?.metadata.name ?? "";
    await world.update<EndpointSlice>(resources.endpointSlices, name, (each) => ({
      ...each,
      metadata: { ...each.metadata, finalizers: ["x.io/hold"] },
    }));
    await world.run(5_000);
    lines();
    await world.delete(resources.endpointSlices, name);
    await world.run(20_000);
    expect(lines()).toEqual(["create endpointslices"]);
    await createPod(1);
    await world.run(20_000);
    // What is written to one that is going away would not last.
    expect(lines().map((line) => line.endsWith(name))).toEqual([false]);
    expect(await addresses()).toEqual(["1.2.3.5"]);
  });

  test("TestSyncServiceEndpointSliceLabelSelection: of its own are merged, of others are left alone", async () => {
    const owner = await createService();
    const create = async (name: string, labels: Readonly<Record<string, string>>): Promise<void> => {
      const ownerReferences = [newControllerRef(asStored(owner), resources.services)];
      await world.create<EndpointSlice>(resources.endpointSlices, {
        metadata: { name, labels, ownerReferences },
        addressType: "IPv4",
        endpoints: [],
        ports: [{ port: 1 }],
      });
    };
    await create("matching-1", OURS);
    await create("matching-2", OURS);
    await create("partially-matching-1", { "kubernetes.io/service-name": "web" });
    await create("not-matching-1", { ...OURS, "kubernetes.io/service-name": "something-else" });
    await create("not-matching-2", { ...OURS, "endpointslice.kubernetes.io/managed-by": "something-else" });
    await world.start(controller);
    expect(lines()).toEqual(["update endpointslices matching-1", "delete endpointslices matching-2"]);
  });

  test.each([
    ["an earlier process wrote", async () => world.stop().then(async () => world.start(controller))],
    ["this process wrote", async () => undefined],
  ])("that %s are made again when somebody deletes them", async (_, change) => {
    await createService();
    await createPod(1);
    await world.start(controller);
    await change();
    await world.run(5_000);
    await world.delete(resources.endpointSlices, (await slices())[0]?.metadata.name ?? "");
    await world.run(5_000);
    expect(await slices()).toMatchObject([{ endpoints: [{}] }]);
  });

  test("TestOnEndpointSliceUpdate: that are given to somebody else are replaced", async () => {
    await createService();
    await createPod(1);
    await world.start(controller);
    const [slice] = await slices();
    await world.update<EndpointSlice>(resources.endpointSlices, slice?.metadata.name ?? "", (each) => ({
      ...each,
      metadata: {
        ...each.metadata,
        labels: { ...OURS, "endpointslice.kubernetes.io/managed-by": "something-else" },
      },
    }));
    await world.run(20_000);
    expect(await slices()).toHaveLength(2);
  });

  // upstream: pkg/controller/endpointslice/endpointslice_controller_test.go#TestSyncServiceStaleInformer
  test("that the cache has not seen yet are not written again", async () => {
    await createService();
    await world.start(controller);
    lines();
    const release = world.server.parts.faults.holdWatches({ resource: "endpointslices" });
    await createPod(1);
    await world.run(500);
    await createPod(2);
    await world.run(500);
    expect(lines()).toHaveLength(1);
    release();
    await world.run(1_000);
    expect(lines()).toHaveLength(1);
    expect(await addresses()).toEqual(["1.2.3.5", "1.2.3.6"]);
  });

  test("that could not be written are written later, and an event tells", async () => {
    await createService();
    await createPod(1);
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "endpointslices" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(controller);
    expect(await slices()).toEqual([]);
    repair();
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.5"]);
    const [event] = await world.events();
    expect(event).toContain(
      "FailedToUpdateEndpointSlices Error updating Endpoint Slices for Service default/web: failed to create EndpointSlice",
    );
  });

  test("wait for nodes that are not known yet", async () => {
    await createService();
    await createPod(1, { node: "node-2" });
    await world.start(controller);
    expect(await addresses()).toEqual([]);
    await world.create<Node>(resources.nodes, node("node-2"));
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.5"]);
  });
});

// upstream: pkg/controller/endpointslice/endpointslice_controller_test.go#TestPodAddsBatching, …Updates…, …Delete…
describe.each<[string, number, readonly number[], number]>([
  ["no batching", 0, [200, 100, 100], 3],
  ["one batch", 1_000, [200, 100, 100], 1],
  ["two batches", 1_000, [200, 100, 1_000], 2],
])("three changes with %s", (_, updatesBatchPeriodMs, delays, writes) => {
  test.each<[string, (number: number) => Promise<void>]>([
    ["additions", async (number) => void (await createPod(20 + number))],
    ["changes", async (number) => setIp(number, `10.0.0.${number}`)],
    ["deletions", async (number) => world.delete(resources.pods, `pod${number}`)],
  ])("%s", async (_what, change) => {
    await createService();
    for (let number = 0; number < 10; number++) await createPod(number);
    await world.start(
      endpointSliceController({ ...settings, maxEndpointsPerSlice: 100, updatesBatchPeriodMs }),
    );
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

// upstream: pkg/controller/endpointslice/endpointslice_controller_test.go#Test_checkNodeTopologyDistribution
describe("when nodes change, Services are looked at that have too few endpoints for a zone", () => {
  type Counts = Readonly<Record<string, number>>;
  const zones = (...sketches: readonly string[]): readonly Node[] =>
    sketches.map((sketch, index) => {
      const [zone = "", cpu = "", ready] = sketch.split(" ");
      return node(`node-${index}`, {
        ...(zone !== "-" && { zone }),
        ...(cpu !== "-" && { cpu }),
        ready: ready === undefined,
      });
    });
  test.each<[string, readonly Node[], Counts | undefined, boolean]>([
    ["nothing", zones(), undefined, false],
    ["lopsided", zones("a 100m", "b 1000m", "c 2000m"), { a: 1, b: 2, c: 3 }, true],
    ["lopsided, and one not ready", zones("a 100m no", "b 1000m", "c 2000m"), { a: 1, b: 2, c: 3 }, true],
    ["even, and a little off", zones("b 2", "b 2", "c 2", "c 2"), { b: 5, c: 4 }, false],
    ["even, and a zone is missing", zones("b 2", "- 2", "c 2", "c 2"), { b: 5, c: 4 }, true],
    ["even, and CPUs are missing", zones("b 2", "b -", "c 2", "c 2"), { b: 5, c: 4 }, true],
    ["even, and far off", zones("b 2", "b 2", "c 2", "c 2"), { b: 6, c: 4 }, true],
    ["uneven, and right", zones("a 2000m", "b 1000m", "c 100m"), { a: 20, b: 10, c: 1 }, false],
    ["uneven, and one is missing", zones("a 2000m", "b 1000m", "c 100m"), { a: 20, b: 10, c: 0 }, true],
  ])("%s", (_, nodes, counts, isLookedAt) => {
    const cache = new TopologyCache();
    const owner = service("svc1");
    if (counts !== undefined) cache.setHints(owner, "IPv4", new Map(Object.entries(counts)));
    cache.setNodes(nodes);
    expect(cache.overloadedServices()).toEqual(isLookedAt ? [keyOf(owner)] : []);
  });

  // upstream: pkg/controller/endpointslice/endpointslice_controller_test.go#TestUpdateNode
  test("and their hints follow", async () => {
    await world.createWithStatus<Node>(
      resources.nodes,
      node("node-2", { zone: "b", cpu: "4", ready: false }),
    );
    await createService({}, { annotations: { "service.kubernetes.io/topology-mode": "Auto" } });
    await createPod(0);
    await createPod(1, { node: "node-2" });
    await world.start(controller);
    expect(await hints()).toEqual([]);
    await setReady("node-2", "True");
    // Nobody counts Services without hints as having too few: the next change of a pod brings them.
    await createPod(2, { ready: false });
    await world.run();
    expect(await hints()).toEqual(["a", "b"]);
    await setReady("node-2", "False");
    await world.run();
    expect(await hints()).toEqual([]);
  });
});

async function setReady(name: string, status: string): Promise<void> {
  const current = await world.get<Node>(resources.nodes, name);
  const conditions = [{ type: "Ready", status }];
  await world.client
    .clientFor<Node>(resources.nodes)
    .updateStatus({ ...current, status: { ...current.status, conditions } });
}

async function setIp(number: number, ip: string): Promise<void> {
  const current = await world.get<Pod>(resources.pods, `pod${number}`);
  await world.client
    .clientFor<Pod>(resources.pods)
    .updateStatus({ ...current, status: { ...current.status, podIP: ip, podIPs: [{ ip }] } });
}

function lines(): readonly string[] {
  return world
    .takeWrites()
    .filter(({ resource }) => resource !== "events")
    .map(lineOf);
}

async function slices(): Promise<readonly EndpointSlice[]> {
  return world.list<EndpointSlice>(resources.endpointSlices);
}

async function addresses(): Promise<readonly string[]> {
  const all = (await slices()).flatMap(({ endpoints }) => endpoints ?? []);
  return all.flatMap((endpoint) => endpoint.addresses).toSorted((one, other) => (one < other ? -1 : 1));
}

async function hints(): Promise<readonly string[]> {
  const all = (await slices()).flatMap(({ endpoints }) => endpoints ?? []);
  return all
    .flatMap((endpoint) => endpoint.hints?.forZones?.map(({ name }) => name) ?? [])
    .toSorted((one, other) => (one < other ? -1 : 1));
}

async function createService(spec?: Service["spec"], metadata?: Service["metadata"]): Promise<Service> {
  return serviceIn(world, spec, metadata);
}

async function createPod(
  number: number,
  sketch?: PodSketch,
  labels?: Readonly<Record<string, string>>,
): Promise<Pod> {
  return podIn(world, number, sketch, labels);
}
