import { expect, test } from "vitest";
import { conflict, forbidden } from "../apiserver/server/status-error.ts";
import type { ObjectMeta } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import { isConflict, isForbidden } from "../client/errors.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { deleteThis, type This } from "./delete-this.ts";

const { signal } = new AbortController();

async function makeConfigMap(world: ControllerWorld, { name = "one", finalizers = [] as string[] } = {}) {
  const { metadata } = await world.create(resources.configMaps, { metadata: { name, finalizers } });
  return metadata as ObjectMeta & This;
}

async function worldWithOne() {
  const world = await newWorld();
  const client = world.client.clientFor(resources.configMaps);
  const names = async () => (await client.list({})).items.map(({ metadata }) => metadata.name).toSorted();
  return { world, client, names, one: await makeConfigMap(world) };
}

test("the object goes, and no other", async () => {
  const { world, client, names, one } = await worldWithOne();
  await makeConfigMap(world, { name: "two" });
  await deleteThis(client, one, signal);
  expect(await names()).toEqual(["two"]);
});

test("what has no namespace goes, too", async () => {
  const { world } = await worldWithOne();
  const client = world.client.clientFor(resources.persistentVolumes);
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } };
  const { metadata } = await client.create({ metadata: { name: "pv" }, spec });
  await deleteThis(client, metadata, signal);
  expect((await client.list({})).items).toEqual([]);
});

test("what is gone is gone, and what has its name since then stays", async () => {
  const { world, client, names, one } = await worldWithOne();
  await world.delete(resources.configMaps, "one");
  await deleteThis(client, one, signal);
  const second = await makeConfigMap(world);
  await deleteThis(client, one, signal);
  expect(await names()).toEqual(["one"]);
  expect((await world.get(resources.configMaps, "one")).metadata.uid).toBe(second.uid);
});

test.each([
  { refused: "by who may not", error: forbidden(resources.configMaps, "one", "no"), told: isForbidden },
  // A webhook may refuse a deletion with any code.
  {
    refused: "with a conflict of another sort",
    error: conflict(resources.configMaps, "one"),
    told: isConflict,
  },
])("a deletion that is refused $refused has failed", async ({ error, told }) => {
  const { world, client, names, one } = await worldWithOne();
  world.server.parts.faults.add({
    target: { verb: "delete" },
    action: { kind: "status", when: "before", error },
    times: 1,
  });
  await expect(deleteThis(client, one, signal)).rejects.toSatisfy(told);
  expect(await names()).toEqual(["one"]);
});

test("whoever has ended waits for no answer", async () => {
  const { client, names, one } = await worldWithOne();
  const reason = new Error("the lease is lost");
  await expect(deleteThis(client, one, AbortSignal.abort(reason))).rejects.toThrow(reason.message);
  expect(await names()).toEqual(["one"]);
});
