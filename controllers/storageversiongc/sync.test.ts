import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Lease } from "../../pkg/api/types/coordination-v1.gen.ts";
import type { V1alpha1StorageVersion as StorageVersion } from "../../pkg/api/types/internal-v1alpha1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { storageVersionCollector } from "./controller.ts";

const { leases, storageVersions } = resources;
const NAME = "k8s.test.resources";
const SYSTEM = "kube-system";
const SERVER = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
const UPDATE = `update storageversions/status ${NAME}`;
const DELETE = `delete storageversions ${NAME}`;
const { main: metrics } = createMetrics({ version: "1.36.4" });

const OPTIONS = {
  features: { StorageVersionAPI: true },
  runtimeConfig: ["internal.apiserver.k8s.io/v1alpha1"],
  metrics,
};

let world: ControllerWorld;
beforeEach(async () => {
  metrics.reset();
  world = await newWorld(OPTIONS);
  await world.create(resources.namespaces, { metadata: { name: SYSTEM } });
});
afterEach(async () => world.stop());

const start = async () => world.start(storageVersionCollector());

async function createLease(
  name: string,
  {
    labels = SERVER,
    namespace = SYSTEM,
  }: { labels?: Readonly<Record<string, string>>; namespace?: string } = {},
): Promise<void> {
  await world.create<Lease>(leases, {
    metadata: { name, namespace, labels },
    spec: { holderIdentity: name },
  });
}

async function deleteLease(name: string, namespace = SYSTEM): Promise<void> {
  await world.client.clientFor(leases).delete({ namespace, name });
}

const report = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});

/** As servers have left it behind, be it that it says what it should not. */
function keep(reports: readonly object[], status: object = {}, name = NAME): void {
  world.keep<StorageVersion>(storageVersions, {
    metadata: { name },
    status: { storageVersions: reports, ...status } as NonNullable<StorageVersion["status"]>,
  });
}

const ids = ({ status }: StorageVersion): readonly string[] =>
  status?.storageVersions?.map((each) => each.apiServerID) ?? [];

async function reported(name = NAME): Promise<readonly string[] | undefined> {
  try {
    return ids(await world.get<StorageVersion>(storageVersions, name));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const linesOf = (): readonly string[] => world.takeWrites().map(lineOf);
const fail = (verb: string, resource: string): (() => void) =>
  world.server.parts.faults.add({
    target: { verb, resource },
    action: { kind: "status", when: "before", error: internal("not now") },
  });

describe("the Lease of a server goes", () => {
  // upstream: pkg/controller/storageversiongc/gc_controller_test.go#Test_StorageVersionUpdatedWithAllEncodingVersionsEqualOnLeaseDeletion
  test("and the others agree", async () => {
    for (const id of ["a", "b", "c"]) await createLease(id);
    keep([report("a", "v1"), report("b", "v2"), report("c", "v2")], { commonEncodingVersion: "v1" });
    await start();
    expect(linesOf()).toEqual([]);
    await deleteLease("a");
    await world.run();
    expect(linesOf()).toEqual([UPDATE]);
    const { status } = await world.get(storageVersions, NAME);
    expect(status).toMatchObject({
      storageVersions: [report("b", "v2"), report("c", "v2")],
      commonEncodingVersion: "v2",
      conditions: [{ type: "AllEncodingVersionsEqual", status: "True" }],
    });
  });

  // upstream: #Test_StorageVersionUpdatedWithDifferentEncodingVersionsOnLeaseDeletion
  test("and it has reported nothing", async () => {
    for (const id of ["a", "b", "c"]) await createLease(id);
    keep([report("a", "v1"), report("c", "v2")], { commonEncodingVersion: "v1" });
    await start();
    await deleteLease("b");
    await world.run();
    expect(linesOf()).toEqual([]);
    expect((await world.get(storageVersions, NAME)).status?.commonEncodingVersion).toBe("v1");
  });

  // upstream: #Test_StorageVersionDeletedOnLeaseDeletion
  test("and it was the only one", async () => {
    await createLease("a");
    keep([report("a", "v1")], { commonEncodingVersion: "v1" });
    await start();
    const { metadata } = await world.get(storageVersions, NAME);
    await deleteLease("a");
    await world.run();
    const writes = world.takeWrites();
    expect(writes.map(lineOf)).toEqual([DELETE]);
    const { uid, resourceVersion } = metadata;
    expect(writes[0]?.body).toMatchObject({ preconditions: { uid, resourceVersion } });
    expect(await reported()).toBeUndefined();
  });

  test("and many StorageVersions name it; one that cannot be written holds up no other", async () => {
    for (const id of ["a", "b"]) await createLease(id);
    const names = Array.from({ length: 510 }, (_, index) => `core.things${index}`);
    for (const name of names) keep([report("a", "v1"), report("b", "v1")], {}, name);
    await start();
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "storageversions", name: names[0] ?? "" },
      action: { kind: "status", when: "before", error: internal("not now") },
    });
    await deleteLease("a");
    await world.run();
    expect(new Set(linesOf())).toEqual(new Set(names.map((name) => `update storageversions/status ${name}`)));
    expect(await reported(names[0])).toEqual(["a", "b"]);
    repair();
    await world.run(60_000);
    expect(await reported(names[0])).toEqual(["b"]);
  });

  test("and what is listed is too old in the middle of it: the list is begun anew", async () => {
    await world.stop();
    const first = "core.things000";
    const lists: string[] = [];
    let isBegun = false;
    const transport = (server: Transport): Transport => ({
      send: async (request, signal) => {
        const { method, path, query = new URLSearchParams() } = request;
        const isOwn = request.headers?.["user-agent"]?.endsWith("/test") !== true;
        if (isBegun && isOwn && method === "GET" && path.endsWith("/storageversions")) {
          lists.push(query.has("continue") ? "continue" : `limit ${query.get("limit") ?? "none"}`);
          if (lists.join() === "limit 500,continue") {
            await world.delete(storageVersions, first);
            world.server.parts.store.compact();
          }
        }
        return server.send(request, signal);
      },
      close: async () => server.close(),
    });
    world = await newWorld({ ...OPTIONS, transport });
    await world.create(resources.namespaces, { metadata: { name: SYSTEM } });
    for (const id of ["a", "b"]) await createLease(id);
    const names = Array.from({ length: 510 }, (_, index) => `core.things${String(index).padStart(3, "0")}`);
    for (const name of names) keep([report("a", "v1"), report("b", "v1")], {}, name);
    await start();
    isBegun = true;
    await deleteLease("a");
    await world.run();
    expect(lists).toEqual(["limit 500", "continue", "limit none"]);
    // What the old list said of the first is not written.
    expect(linesOf().toSorted()).toEqual(
      names.slice(1).map((name) => `update storageversions/status ${name}`),
    );
    expect(new Set((await world.list<StorageVersion>(storageVersions)).flatMap(ids))).toEqual(new Set(["b"]));
  });

  test("and comes back before anything is done", async () => {
    await createLease("a");
    keep([report("a", "v1")]);
    await start();
    const repair = fail("get", "leases");
    await deleteLease("a");
    await world.run(100);
    await createLease("a");
    repair();
    await world.run();
    expect(linesOf()).toEqual([]);
  });

  test("and nobody can say whether it does", async () => {
    await createLease("a");
    keep([report("a", "v1")]);
    await start();
    const repair = fail("get", "leases");
    await deleteLease("a");
    await world.run();
    expect(linesOf()).toEqual([]);
    repair();
    await world.run(10_000);
    expect(linesOf()).toEqual([DELETE]);
  });

  test("which was not that of a server, or not in its place", async () => {
    for (const [id, labels] of [
      ["other", { "apiserver.kubernetes.io/identity": "other" }],
      ["plain", {}],
    ] as const)
      await createLease(id, { labels });
    await createLease("a");
    await createLease("a", { namespace: "default" });
    keep([report("a", "v1")]);
    const health = await start();
    await deleteLease("a", "default");
    await deleteLease("other");
    await deleteLease("plain");
    await world.run();
    expect(linesOf()).toEqual([]);
    const pools = health.health().get("storageversion-garbage-collector-controller")?.pools ?? {};
    expect(pools["storage_version_garbage_collector_leases"]?.syncs).toBe(0);
  });

  test("while a server reports", async () => {
    for (const id of ["a", "b"]) await createLease(id);
    keep([report("a", "v1")]);
    await start();
    let raced = false;
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "storageversions" },
      action: {
        kind: "interfere",
        run: async () => {
          if (raced) return;
          raced = true;
          const found = await world.get(storageVersions, NAME);
          const status = {
            storageVersions: [report("a", "v1"), report("b", "v1")],
            commonEncodingVersion: "v1",
          };
          await world.client.clientFor(storageVersions).updateStatus({ ...found, status });
        },
      },
    });
    await deleteLease("a");
    await world.run();
    expect(raced).toBe(true);
    expect(await reported()).toEqual(["b"]);
    expect(linesOf()).toEqual([DELETE, UPDATE]);
  });

  test("while nobody is there to hear of it", async () => {
    for (const id of ["a", "b"]) await createLease(id);
    keep([report("a", "v1"), report("b", "v1")]);
    await start();
    const show = world.hideEvents("leases");
    await deleteLease("a");
    await world.run();
    expect(linesOf()).toEqual([]);
    show();
    await world.run(60_000);
    expect(await reported()).toEqual(["b"]);
  });
});

describe("a StorageVersion", () => {
  // upstream: #Test_StorageVersionContainsInvalidLeaseID
  test("that names nobody's Lease loses it", async () => {
    for (const id of ["a", "b", "c"]) await createLease(id);
    keep([report("a", "v1"), report("b", "v2"), report("c", "v2"), report("d", "v2")], {
      commonEncodingVersion: "v1",
    });
    await start();
    expect(linesOf()).toEqual([UPDATE]);
    const { status } = await world.get(storageVersions, NAME);
    expect(status).toMatchObject({
      storageVersions: [report("a", "v1"), report("b", "v2"), report("c", "v2")],
      conditions: [{ type: "AllEncodingVersionsEqual", status: "False" }],
    });
    expect(status?.commonEncodingVersion).toBeUndefined();
  });

  test("that names other Leases, and none of a server, goes", async () => {
    await createLease("plain", { labels: {} });
    await createLease("elsewhere", { namespace: "default" });
    keep([report("plain", "v1"), report("elsewhere", "v1")]);
    await start();
    expect(linesOf()).toEqual([DELETE]);
  });

  test("that changes is looked at again", async () => {
    await createLease("a");
    keep([report("a", "v1")], { commonEncodingVersion: "v1" });
    await start();
    const found = await world.get(storageVersions, NAME);
    const status = { storageVersions: [report("a", "v1"), report("z", "v1")], commonEncodingVersion: "v1" };
    await world.client.clientFor(storageVersions).updateStatus({ ...found, status });
    await world.run();
    expect(linesOf()).toEqual([UPDATE]);
    expect(await reported()).toEqual(["a"]);
  });

  test("is kept for a server whose Lease the cache has not seen yet", async () => {
    keep([report("a", "v1")]);
    world.server.parts.faults.holdWatches({ resource: "leases" });
    await createLease("a");
    await start();
    expect(linesOf()).toEqual([]);
  });

  // upstream takes any failure for a Lease that is not there.
  test("is kept while nobody can say whether its servers are there", async () => {
    keep([report("a", "v1"), report("b", "v1")]);
    await createLease("a");
    const repair = fail("get", "leases");
    await start();
    await world.run();
    expect(linesOf()).toEqual([]);
    repair();
    await world.run(10_000);
    expect(linesOf()).toEqual([UPDATE]);
    expect(await reported()).toEqual(["a"]);
  });

  test("of nobody, or of servers that are there, is let alone", async () => {
    await createLease("a");
    keep([]);
    keep([report("a", "v1")], {}, "core.things");
    const health = await start();
    expect(linesOf()).toEqual([]);
    const pools = health.health().get("storageversion-garbage-collector-controller")?.pools ?? {};
    expect(pools["storage_version_garbage_collector_storageversions"]?.syncs).toBe(0);
  });

  test("that was replaced meanwhile is another one", async () => {
    keep([report("z", "v1")]);
    const repair = fail("get", "storageversions");
    await start();
    await world.delete(storageVersions, NAME);
    await createLease("a");
    world.keep<StorageVersion>(storageVersions, {
      metadata: { name: NAME, uid: "another" },
      status: { storageVersions: [report("a", "v1"), report("y", "v1")] },
    });
    repair();
    await world.run(10_000);
    expect(await reported()).toEqual(["a"]);
  });

  test("is written as often as it takes when somebody is quicker", async () => {
    await createLease("a");
    keep([report("a", "v1"), report("z", "v1")]);
    world.server.parts.faults.add({
      target: { verb: "update", resource: "storageversions", subresource: "status" },
      action: {
        kind: "interfere",
        run: async () => {
          await world.update(storageVersions, NAME, (found) => ({
            ...found,
            metadata: { ...found.metadata, labels: { a: "b" } },
          }));
        },
      },
      times: 1,
    });
    await start();
    expect(linesOf()).toEqual([UPDATE, UPDATE]);
    expect(await reported()).toEqual(["a"]);
  });

  test("names its queues as upstream does, and writes under its own name", async () => {
    keep([report("z", "v1")]);
    await start();
    expect(world.takeWrites().map(({ actor }) => actor)).toEqual(["storage-version-garbage-collector"]);
    const text = await metrics.expose();
    for (const name of ["leases", "storageversions"])
      expect(text).toContain(`workqueue_depth{name="storage_version_garbage_collector_${name}"}`);
  });
});
