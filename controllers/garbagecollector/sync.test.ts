import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
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
