import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Namespace, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { FaultTarget } from "../../pkg/apiserver/server/faults.ts";
import { conflict, internal, notFound } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { namespaceController } from "./controller.ts";

const GRACE_MS = 5_000;
const controller = namespaceController({ workers: 2, syncPeriodMs: 300_000 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.client.clientFor<Namespace>(resources.namespaces).create({ metadata: { name: "gone" } });
  await world.start(controller);
});
afterEach(async () => world.stop());

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestSyncNamespaceThatIsTerminating
describe("a namespace that is being deleted", () => {
  test("is emptied five seconds later, pods first, and goes", async () => {
    await create("configMaps", "settings");
    await create("deployments", "web");
    await remove();
    await world.run(GRACE_MS - 10);
    expect(world.takeWrites()).toEqual([]);
    await world.run(2_000);
    const taken = world.takeWrites();
    // It is let go as it was written last, so that there is no conflict.
    expect(taken.every(({ status }) => status < 300)).toBe(true);
    const writes = taken.map(lineOf);
    expect(writes[0]).toBe("delete pods");
    expect(writes).toEqual(
      expect.arrayContaining(["delete configmaps", "delete deployments", "delete secrets"]),
    );
    expect(writes.slice(-2)).toEqual(["update namespaces/status gone", "update namespaces/finalize gone"]);
    expect(await find()).toBeUndefined();
    expect(await world.list(resources.configMaps)).toEqual([]);
  });

  test("is left to others when its finalizer is gone", async () => {
    const { metadata, spec } = await get();
    const finalizers = [...(spec?.finalizers ?? []), "example.com/hold"];
    await finalizeWith(metadata, finalizers);
    await remove();
    await world.run(GRACE_MS + 2_000);
    expect((await get()).spec?.finalizers).toEqual(["example.com/hold"]);
    await finalizeWith((await get()).metadata, []);
    world.takeWrites();
    await world.run(60_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("waits for its pods as long as they may take, and for nothing else before them", async () => {
    await create("configMaps", "settings");
    await createPod(20);
    await remove();
    await world.run(GRACE_MS + 1_000);
    expect((await world.list<Pod>(resources.pods))[0]?.metadata.deletionTimestamp).toBeDefined();
    expect(await world.list(resources.configMaps)).toHaveLength(1);
    expect(world.takeWrites().map(lineOf)).toEqual(["delete pods", "update namespaces/status gone"]);
    await world.client.clientFor(resources.pods).delete(ref("pod"), { gracePeriodSeconds: 0 });
    await world.run(11_000);
    expect(await find()).toBeUndefined();
  });

  test("tells what remains, and by whose finalizers, and looks again", async () => {
    await create("configMaps", "settings", ["example.com/hold"]);
    await remove();
    await world.run(GRACE_MS + 1_000);
    const { status } = await get();
    expect(findCondition(status?.conditions, "NamespaceContentRemaining")?.message).toBe(
      "Some resources are remaining: configmaps. has 1 resource instances",
    );
    expect(findCondition(status?.conditions, "NamespaceFinalizersRemaining")?.message).toBe(
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    );
    world.takeWrites();
    await world.run(30_000);
    expect(world.takeWrites().filter((write) => lineOf(write) === "delete configmaps")).toHaveLength(4);
    await world.client
      .clientFor(resources.configMaps)
      .patch(ref("settings"), { type: "merge", body: { metadata: { finalizers: null } } });
    await world.run(9_000);
    expect(await find()).toBeUndefined();
  });

  test("stays while one resource cannot be deleted, says so, and is tried again", async () => {
    await create("configMaps", "settings");
    await create("secrets", "key");
    fault({ verb: "deletecollection", resource: "secrets" }, 3);
    await remove();
    await world.run(GRACE_MS + 3);
    const condition = findCondition((await get()).status?.conditions, "NamespaceDeletionContentFailure");
    expect(condition).toMatchObject({ status: "True", reason: "ContentDeletionFailed" });
    expect(await world.list(resources.configMaps)).toEqual([]);
    await world.run(60_000);
    expect(await find()).toBeUndefined();
  });
});

test("pods that cannot be deleted keep what guards them, until they can be", async () => {
  await create("configMaps", "settings");
  fault({ verb: "deletecollection", resource: "pods" }, 3);
  await remove();
  await world.run(GRACE_MS + 3);
  const condition = findCondition((await get()).status?.conditions, "NamespaceDeletionContentFailure");
  expect(condition).toMatchObject({ status: "True", reason: "ContentDeletionFailed" });
  expect(await world.list(resources.configMaps)).toHaveLength(1);
  await world.run(60_000);
  expect(await find()).toBeUndefined();
});

test("a status that cannot be written does not keep an empty namespace", async () => {
  fault({ verb: "update", resource: "namespaces", subresource: "status" }, 1_000);
  await remove();
  await world.run(GRACE_MS + 1_000);
  expect(await find()).toBeUndefined();
});

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestDeleteEncounters404
test("a resource that is not served any more is listed instead, and counts as empty", async () => {
  const target = { resource: "configmaps", namespace: "gone" };
  const error = notFound({ group: "", plural: "configmaps" }, "");
  for (const verb of ["deletecollection", "list"]) {
    world.server.parts.faults.add({
      target: { ...target, verb },
      action: { kind: "status", when: "before", error },
    });
  }
  await remove();
  await world.run(GRACE_MS + 2_000);
  expect(await find()).toBeUndefined();
});

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestRetryOnConflictError
test("a conflict is tried again with what the server has by then", async () => {
  await remove();
  world.server.parts.faults.add({
    target: { verb: "update", resource: "namespaces", subresource: "finalize" },
    action: {
      kind: "status",
      when: "before",
      error: conflict({ group: "", plural: "namespaces" }, "gone", "changed"),
    },
    times: 2,
  });
  await world.run(GRACE_MS + 1_000);
  expect(world.takeWrites().filter((write) => write.resource === "namespaces/finalize")).toHaveLength(3);
  expect(await find()).toBeUndefined();
});

test("a namespace that was made anew while the first one was emptied is not let go", async () => {
  await remove();
  const finalize = { verb: "update", resource: "namespaces", subresource: "finalize" };
  world.server.parts.faults.add({
    target: finalize,
    action: {
      kind: "interfere",
      run: async () => {
        await finalizeWith((await get()).metadata, []);
        await world.client.clientFor<Namespace>(resources.namespaces).create({ metadata: { name: "gone" } });
      },
    },
    times: 1,
  });
  await world.run(GRACE_MS + 1_000);
  expect((await get()).spec?.finalizers).toEqual(["kubernetes"]);
  expect(world.takeWrites().filter((write) => write.resource === "namespaces/finalize")).toHaveLength(1);
});

test("letting it go is tried again when it fails", async () => {
  fault({ verb: "update", resource: "namespaces", subresource: "finalize" }, 2);
  await remove();
  await world.run(GRACE_MS + 5_000);
  expect(await find()).toBeUndefined();
});

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestSyncNamespaceThatIsActive
test("a namespace that nobody deletes is left alone", async () => {
  await create("configMaps", "settings");
  await world.run(700_000);
  expect(world.takeWrites()).toEqual([]);
});

test("a restart finds the namespaces that are left to be emptied", async () => {
  await world.stop();
  await remove();
  await world.start(controller);
  await world.run(GRACE_MS + 1_000);
  expect(await find()).toBeUndefined();
});

function fault(target: FaultTarget, times: number): void {
  const error = internal("no");
  world.server.parts.faults.add({ target, action: { kind: "status", when: "before", error }, times });
}

function ref(name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: "gone", name };
}

async function create(
  plural: "configMaps" | "secrets" | "deployments",
  name: string,
  finalizers: readonly string[] = [],
): Promise<void> {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = plural === "deployments" ? { spec: { selector: { matchLabels: labels }, template } } : {};
  await world.client
    .dynamic(resources[plural])
    .create({ metadata: { name, namespace: "gone", finalizers }, ...spec });
}

/** On a node, so that it ends only when a kubelet says so. */
async function createPod(terminationGracePeriodSeconds: number): Promise<void> {
  await world.client.clientFor<Pod>(resources.pods).create({
    metadata: { name: "pod", namespace: "gone" },
    spec: { nodeName: "node", terminationGracePeriodSeconds, containers: [{ name: "c", image: "i" }] },
  });
}

async function remove(): Promise<void> {
  await world.client.clientFor(resources.namespaces).delete({ name: "gone" });
}

async function get(): Promise<Namespace> {
  return world.get<Namespace>(resources.namespaces, "gone");
}

async function find(): Promise<Namespace | undefined> {
  const all = await world.list<Namespace>(resources.namespaces);
  return all.find(({ metadata }) => metadata.name === "gone");
}

async function finalizeWith(metadata: Namespace["metadata"], finalizers: readonly string[]): Promise<void> {
  const body = { metadata, spec: { finalizers } };
  await world.client
    .clientFor(resources.namespaces)
    .updateSubresource({ name: metadata.name ?? "" }, "finalize", body);
}
