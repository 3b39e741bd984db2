import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { garbageCollectorController } from "./controller.ts";

const { configMaps, secrets } = resources;
const controller = garbageCollectorController({ workers: 3 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

test("another object with the name of an owner owns nothing", async () => {
  const owner = await createOwner();
  await createDependent("heir", owner);
  await removeOwner("Background");
  await createOwner();
  await world.start(controller);
  await world.run();
  expect(await dependents()).toEqual([]);
  expect(await findOwner()).toBeDefined();
});

test("an object that has taken the name meanwhile keeps its finalizers", async () => {
  await world.start(controller);
  await createDependent("child", await createOwner());
  await world.run();
  const patch = { verb: "patch", resource: "secrets" };
  world.server.parts.faults.add({
    target: { ...patch, name: "child" },
    action: { kind: "latency", ms: 1_000 },
    times: 1,
  });
  fail({ ...patch, name: "heir" });
  await removeOwner("Orphan");
  await world.run(100);
  await world.client
    .clientFor(configMaps)
    .patch(
      { namespace: NAMESPACE, name: "owner" },
      { type: "merge", body: { metadata: { finalizers: null } } },
    );
  await createDependent("heir", await createOwner());
  await removeOwner("Orphan");
  await world.run();
  expect((await findOwner())?.metadata.finalizers).toEqual(["orphan"]);
  expect(await dependents()).toEqual(["heir of owner"]);
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestOrphanDependentsFailure
test("an owner stays, and nothing is deleted, while one of its dependents cannot be made an orphan", async () => {
  await world.start(controller);
  const owner = await createOwner();
  for (const name of ["one", "two"]) await createDependent(name, owner);
  await world.run();
  const repair = fail({ verb: "patch", resource: "secrets", name: "two" });
  await removeOwner("Orphan");
  await world.run(5_000);
  expect(await dependents()).toEqual(["one", "two of owner"]);
  expect(await findOwner()).toBeDefined();
  repair();
  await world.run(60_000);
  expect(await dependents()).toEqual(["one", "two"]);
  expect(await findOwner()).toBeUndefined();
});

function fail(target: {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}): () => void {
  const action = { kind: "status", when: "before", error: internal("no") } as const;
  return world.server.parts.faults.add({ target, action });
}

async function createOwner(): Promise<ApiObject> {
  return world.create(configMaps, { metadata: { name: "owner" } });
}

async function findOwner(): Promise<ApiObject | undefined> {
  return (await world.list<ApiObject>(configMaps)).find(({ metadata }) => metadata.name === "owner");
}

async function removeOwner(propagationPolicy: "Background" | "Orphan"): Promise<void> {
  await world.client
    .clientFor(configMaps)
    .delete({ namespace: NAMESPACE, name: "owner" }, { propagationPolicy });
}

async function createDependent(name: string, { metadata }: ApiObject): Promise<void> {
  const reference: OwnerReference = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
  };
  await world.create(secrets, { metadata: { name, ownerReferences: [reference] } });
}

/** "child", or "child of owner". */
async function dependents(): Promise<readonly string[]> {
  return (await world.list<ApiObject>(secrets)).map(({ metadata: { name = "", ownerReferences = [] } }) =>
    [name, ...ownerReferences.map((owner) => owner.name)].join(" of "),
  );
}
