import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { conflict, notFound, type StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { garbageCollectorController } from "./controller.ts";

const controller = garbageCollectorController({ workers: 3 });
const SETTLED_MS = 5_000;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("an owner that is deleted", () => {
  test("in the background takes its dependents with it, and theirs", async () => {
    await world.start(controller);
    const owner = await create("owner");
    const child = await create("child", [refTo(owner)]);
    await create("grandchild", [refTo(child)]);
    await create("bystander");
    await remove("owner", "Background");
    await world.run(SETTLED_MS);
    expect(await names()).toEqual(["bystander"]);
    expect(world.takeWrites().map(lineOf)).toEqual([
      "delete configmaps child",
      "delete configmaps grandchild",
    ]);
  });

  test("in the foreground goes last", async () => {
    await world.start(controller);
    const owner = await create("owner");
    const child = await create("child", [refTo(owner, { blockOwnerDeletion: true })]);
    await create("grandchild", [refTo(child, { blockOwnerDeletion: true })]);
    await remove("owner", "Foreground");
    await world.run(SETTLED_MS);
    expect(await names()).toEqual([]);
    expect(world.takeWrites().map(lineOf)).toEqual([
      "delete configmaps child",
      "delete configmaps grandchild",
      "patch configmaps child",
      "patch configmaps owner",
    ]);
  });

  test("with its dependents orphaned leaves them without owners", async () => {
    await world.start(controller);
    const owner = await create("owner");
    await create("child", [refTo(owner)]);
    await remove("owner", "Orphan");
    await world.run(SETTLED_MS);
    expect(await names()).toEqual(["child"]);
    expect((await get("child")).metadata.ownerReferences).toBeUndefined();
  });
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestConflictingData (resourceVersion conflict)
describe("an object that changes between the look at it and its deletion", () => {
  test("goes all the same when its owners are the same", async () => {
    await world.start(controller);
    interfere({ labels: { changed: "yes" } });
    await create("child", [absent("one")]);
    await world.run(SETTLED_MS);
    expect(await names()).toEqual([]);
    const writes = world.takeWrites();
    expect(writes.map(({ status }) => status)).toEqual([409, 200]);
    for (const { body } of writes) expect(body).toMatchObject({ propagationPolicy: "Background" });
  });

  test("is looked at again when they are not, and stays if one of them lives", async () => {
    await world.start(controller);
    const owner = await create("owner");
    interfere({ ownerReferences: [absent("one"), refTo(owner)] });
    await create("child", [absent("one")]);
    await world.run(SETTLED_MS);
    expect(await names()).toEqual(["child", "owner"]);
    expect((await get("child")).metadata.ownerReferences).toEqual([refTo(owner)]);
    expect(statuses()).toEqual(["delete configmaps child 409", "patch configmaps child 200"]);
  });

  // upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestAttemptToDeleteItemDeleteObjectNotFound
  test("is forgotten when somebody else has deleted it", async () => {
    await world.start(controller);
    fault("delete", notFound({ group: "", plural: "configmaps" }, "child"), 1);
    await create("child", [absent("one")]);
    await world.run(SETTLED_MS);
    expect(statuses()).toEqual(["delete configmaps child 404"]);
  });
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestOrphanDependentsFailure
test("an owner stays until each of its dependents has been made an orphan", async () => {
  await world.start(controller);
  const owner = await create("owner");
  await create("child", [refTo(owner)]);
  await world.run();
  fault("patch", conflict({ group: "", plural: "configmaps" }, "child", "changed"), 5);
  await remove("owner", "Orphan");
  await world.run(50);
  expect(await names()).toContain("owner");
  await world.run(SETTLED_MS);
  expect(await names()).toEqual(["child"]);
});

// upstream: test/integration/garbagecollector/cluster_scoped_owner_test.go#TestClusterScopedOwners
test("an owner that the caches do not have yet is looked for on the server", async () => {
  await world.start(controller);
  world.server.parts.faults.holdWatches({ resource: "clusterroles" });
  const role = await world.client
    .clientFor<ApiObject>(resources.clusterRoles)
    .create({ metadata: { name: "owner" } });
  const kind = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
  await create("valid", [refTo(role, kind)]);
  await create("missing", [{ ...absent("one"), ...kind }]);
  await world.run(SETTLED_MS);
  expect(await names()).toEqual(["valid"]);
  // No informer will ever tell of its end.
  await world.client.clientFor(resources.clusterRoles).delete({ name: "owner" });
  await world.run(60_000);
  expect(await names()).toEqual([]);
});

test("an owner that lives is asked for again for the next dependent, and not taken for absent", async () => {
  await world.start(controller);
  const owner = await create("owner");
  for (const name of ["one", "two"]) {
    await create(name, [absent("u"), refTo(owner)]);
    await world.run();
  }
  expect(await names()).toEqual(["one", "owner", "two"]);
});

test("a restart collects what lost its owners meanwhile", async () => {
  const owner = await create("owner");
  await create("child", [refTo(owner)]);
  await world.client.clientFor(resources.configMaps).delete({ namespace: NAMESPACE, name: "owner" });
  await world.start(controller);
  await world.run(SETTLED_MS);
  expect(await names()).toEqual([]);
});

test("what could not be looked at while the server was away goes as soon as it is back", async () => {
  await world.start(controller);
  const owner = await create("owner");
  for (let index = 0; index < 300; index++) await create(`child-${index}`, [refTo(owner)]);
  await world.run();
  world.server.parts.faults.add({
    target: { verb: "get", resource: "configmaps" },
    action: { kind: "latency", ms: 10 },
  });
  await world.client.clientFor(resources.configMaps).delete({ namespace: NAMESPACE, name: "owner" });
  await world.run(100);
  world.server.crash();
  // Longer than what is known of the server's resources is believed.
  await world.run(60_000);
  world.server.restart();
  expect((await names()).length).toBeGreaterThan(200);
  await world.run(SETTLED_MS);
  expect(await names()).toEqual([]);
});

test("the graph is there to be looked at", async () => {
  await create("child", [absent("one")]);
  const shown: (string | undefined)[] = [];
  await world.start({
    ...controller,
    build: (env) => {
      const built = controller.build(env);
      const page = (path: string): string | undefined => built.debug?.(path, new URLSearchParams())?.body;
      shown.push(page("/graph"), page("/other"));
      return built;
    },
  });
  expect(shown).toEqual(["strict digraph full {\n}\n", undefined]);
});

/** Another client gets in once, right before the collector's next deletion. */
function interfere(metadata: ApiObject["metadata"]): void {
  const ref = { namespace: NAMESPACE, name: "child" };
  world.server.parts.faults.add({
    target: { verb: "delete", resource: "configmaps" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.client.clientFor(resources.configMaps).patch(ref, { type: "merge", body: { metadata } });
      },
    },
    times: 1,
  });
}

function fault(verb: string, error: StatusError, times: number): void {
  const action = { kind: "status", when: "before", error } as const;
  world.server.parts.faults.add({ target: { verb, resource: "configmaps" }, action, times });
}

function statuses(): readonly string[] {
  return world.takeWrites().map((write) => `${lineOf(write)} ${write.status}`);
}

/** An owner that there never was. */
function absent(uid: string): OwnerReference {
  return refTo({ metadata: { name: "absent", uid } });
}

type Policy = "Background" | "Foreground" | "Orphan";

async function create(name: string, ownerReferences: readonly OwnerReference[] = []): Promise<ApiObject> {
  return world.create(resources.configMaps, { metadata: { name, ownerReferences } });
}

function refTo({ metadata }: ApiObject, change: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, ...change };
}

async function remove(name: string, propagationPolicy: Policy): Promise<void> {
  await world.run();
  const ref = { namespace: NAMESPACE, name };
  await world.client.clientFor(resources.configMaps).delete(ref, { propagationPolicy });
}

async function get(name: string): Promise<ApiObject> {
  return world.get(resources.configMaps, name);
}

async function names(): Promise<readonly unknown[]> {
  return (await world.list<ApiObject>(resources.configMaps)).map(({ metadata }) => metadata.name);
}
