import { afterEach, describe, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { ApiObject } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap, Secret } from "../api/types/core-v1.gen.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { wired } from "./kit.ts";
import { OwnedObjects } from "./owned-objects.ts";
import type { OwnerSync } from "./sync.ts";

let world: ControllerWorld;
afterEach(async () => world.stop());

interface Stage {
  readonly sync: OwnerSync<ConfigMap>;
  readonly owned: OwnedObjects<ConfigMap, Secret, Secret>;
  readonly consistency: ConsistencyStore;
}

/** A ConfigMap that owns Secrets, and what its sync is given. */
async function stage(...secrets: readonly Secret[]): Promise<Stage> {
  world = await newWorld();
  await world.create(resources.configMaps, { metadata: { name: "owner" } });
  for (const secret of secrets) await world.create(resources.secrets, secret);
  let given: Stage | undefined;
  await world.start({
    name: "probe",
    clientName: "probe",
    build: wired((kit) => {
      const owners = kit.reads(resources.configMaps);
      const objects = kit.reads(resources.secrets);
      const { consistency } = kit;
      const owned = new OwnedObjects(kit, { owners, objects });
      const sync = async (each: OwnerSync<ConfigMap>) => ((given = { sync: each, owned, consistency }), {});
      kit.ownerQueue({ name: "probe", workers: 1, owners, sync });
    }),
  });
  if (given === undefined) throw new Error("nothing was synced");
  return given;
}

const secret = (name: string, more: ApiObject["metadata"] = {}): Secret => ({ metadata: { name, ...more } });
const namesOf = (objects: readonly ApiObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name ?? "");

test("an object that is created is the owner's, in its namespace", async () => {
  const { sync, owned } = await stage();
  const created = await owned.create(sync, secret("one"));
  expect(created.metadata).toMatchObject({
    namespace: "default",
    ownerReferences: [newControllerRef(sync.owner, resources.configMaps)],
  });
  await world.run();
  expect(namesOf(owned.ownedBy(sync.owner))).toEqual(["one"]);
});

describe("the next sync waits for", () => {
  test("what was changed as the server has it", async () => {
    const { sync, owned, consistency } = await stage();
    const created = await owned.create(sync, secret("one"));
    await world.run();
    const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
    await owned.change(sync, created, (live) => ({ ...live, data: { a: "" } }));
    expect(consistency.staleness(sync.key)).toBeDefined();
    release();
    await world.run();
    expect(consistency.staleness(sync.key)).toBeUndefined();
  });

  test("what was created by one who does not read the answer", async () => {
    const { sync, owned, consistency } = await stage();
    const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
    await owned.createUnread(sync, secret("one"));
    expect(consistency.staleness(sync.key)).toBeDefined();
    release();
    await world.run();
    expect(consistency.staleness(sync.key)).toBeUndefined();
    expect(namesOf(owned.ownedBy(sync.owner))).toEqual(["one"]);
  });

  test("what was created, written and deleted", async () => {
    const { sync, owned, consistency } = await stage();
    const isWaitedFor = (): boolean => consistency.staleness(sync.key) !== undefined;
    const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
    const created = await owned.create(sync, secret("one"));
    expect(isWaitedFor()).toBe(true);
    release();
    await world.run();
    expect(isWaitedFor()).toBe(false);
    const again = world.server.parts.faults.holdWatches({ resource: "secrets" });
    await owned.update(sync, { ...created, type: created.type, data: { a: "" } } as Secret);
    expect(isWaitedFor()).toBe(true);
    again();
    await world.run();
    expect(isWaitedFor()).toBe(false);
    const held = { ...secret("two", { finalizers: ["x.io/hold"] }) };
    const two = await owned.create(sync, held);
    await world.run();
    const last = world.server.parts.faults.holdWatches({ resource: "secrets" });
    await owned.remove(sync, two);
    expect(isWaitedFor()).toBe(true);
    last();
  });
});

test("the next sync waits for what was adopted", async () => {
  const { sync, owned, consistency } = await stage(secret("free"));
  const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
  await owned.claim(sync, () => true);
  expect(consistency.staleness(sync.key)).toBeDefined();
  release();
  await world.run();
  expect(consistency.staleness(sync.key)).toBeUndefined();
});

describe("a deletion", () => {
  test("is one of the very object", async () => {
    const { sync, owned } = await stage();
    const created = await owned.create(sync, secret("one"));
    await world.delete(resources.secrets, "one");
    await world.create(resources.secrets, secret("one"));
    expect(await owned.remove(sync, created)).toBe(false);
    expect(namesOf(await world.list(resources.secrets))).toEqual(["one"]);
    expect(await owned.remove(sync, asStored(await world.get(resources.secrets, "one")))).toBe(true);
    expect(await owned.remove(sync, created)).toBe(false);
  });
});

test("a claim adopts what matches, and leaves alone what does not", async () => {
  const { sync, owned } = await stage(
    secret("yes", { labels: { app: "a" } }),
    secret("no", { labels: { app: "b" } }),
  );
  const matches = ({ metadata }: Secret): boolean => metadata.labels?.["app"] === "a";
  expect(namesOf(await owned.claim(sync, matches))).toEqual(["yes"]);
  await world.run();
  expect(namesOf(owned.ownedBy(sync.owner))).toEqual(["yes"]);
  expect(namesOf(await owned.claim(sync, () => false))).toEqual([]);
  await world.run();
  expect(owned.ownedBy(sync.owner)).toEqual([]);
});
