import type { Stored } from "../../../pkg/api/object.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../../test/harness/controller-world.ts";
import { asStored } from "../../../test/harness/stored.ts";
import { newRevision, REVISION_HASH_LABEL, templateData } from "../../api/controller-revision.ts";
import { resources } from "../../api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../api/types/apps-v1.gen.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { silentLogger } from "../../log/logger.ts";
import type { ConsistencyStore } from "../consistency.ts";
import { wired } from "../kit.ts";
import type { OwnerSync } from "../sync.ts";
import { OwnedRevisions } from "./owned-revisions.ts";

const owner: Stored<StatefulSet> = asStored<StatefulSet>({
  metadata: { name: "web", namespace: "default", uid: "u" },
});

let world: ControllerWorld;
let client: ResourceClient<ControllerRevision>;
let history: OwnedRevisions<StatefulSet>;
let consistency: ConsistencyStore;
beforeEach(async () => {
  world = await newWorld();
  client = world.client.clientFor(resources.controllerRevisions);
  await world.start({
    name: "probe",
    clientName: "probe",
    build: wired((kit) => {
      const owners = kit.reads(resources.statefulSets);
      const revisions = kit.reads(resources.controllerRevisions);
      consistency = kit.consistency;
      history = new OwnedRevisions(kit, { owners, revisions });
      kit.ownerQueue({ name: "probe", workers: 1, owners, sync: async () => ({}) });
    }),
  });
});
afterEach(async () => world.stop());

function syncOf(set: Stored<StatefulSet>): OwnerSync<StatefulSet> {
  const { signal } = new AbortController();
  return { owner: asStored(set), key: "", reasons: [], log: silentLogger, signal, decided: () => undefined };
}

function draft(image: string, collisionCount = 0, by = owner): ControllerRevision {
  const data = templateData({ spec: { containers: [{ name: "a", image }] } });
  const facts = { ownerResource: resources.statefulSets, labels: {}, annotations: {}, revision: 1 };
  return newRevision({ ...facts, owner: by, data, collisionCount });
}

/** Another revision that has the name already. */
async function take(name: string | undefined, image: string): Promise<void> {
  const { metadata, ...rest } = draft(image);
  await history.create(syncOf(owner), { ...rest, metadata: { ...metadata, name: name ?? "" } });
}

// upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_CreateControllerRevision
describe("a new revision", () => {
  test("has the name of its hash", async () => {
    const made = await history.createUnique(syncOf(owner), draft("one"), 0);
    expect(made.revision.metadata.name).toBe(draft("one").metadata.name);
    expect(made.collisionCount).toBe(0);
  });

  test("does not collide with that of another owner", async () => {
    const other = { metadata: { ...owner.metadata, name: "db" } };
    await history.createUnique(syncOf(owner), draft("one"), 0);
    const made = await history.createUnique(syncOf(other), draft("one", 0, other), 0);
    expect(made.collisionCount).toBe(0);
    expect(await world.list(resources.controllerRevisions)).toHaveLength(2);
  });

  test("takes another name where other data has it, and finds that name again", async () => {
    const { name, labels } = draft("one").metadata;
    await take(name, "other");
    const made = await history.createUnique(syncOf(owner), draft("one"), 0);
    expect(made.revision.metadata.name).toBe(draft("one", 1).metadata.name);
    expect(made.revision.metadata.labels?.[REVISION_HASH_LABEL]).toBe(labels?.[REVISION_HASH_LABEL]);
    expect(made.collisionCount).toBe(1);
    const again = await history.createUnique(syncOf(owner), draft("one"), 1);
    expect(again).toEqual({ revision: made.revision, collisionCount: 1 });
  });

  test("is not that of another owner that had the name, with which it will go", async () => {
    const earlier = { metadata: { ...owner.metadata, uid: "earlier" } };
    await history.createUnique(syncOf(earlier), draft("one", 0, earlier), 0);
    const made = await history.createUnique(syncOf(owner), draft("one"), 0);
    expect(made.collisionCount).toBe(1);
    expect(made.revision.metadata.ownerReferences).toMatchObject([{ uid: "u" }]);
  });

  test("is waited for, be it new or found under its name", async () => {
    const release = world.server.parts.faults.holdWatches({ resource: "controllerrevisions" });
    for (const _ of ["new", "found"]) {
      await history.createUnique(syncOf(owner), draft("one"), 0);
      expect(consistency.staleness("default/web")).toBeDefined();
      consistency.delete(owner);
    }
    release();
  });

  test("passes over as many names as are taken", async () => {
    await take(draft("one").metadata.name, "other");
    await take(draft("one", 1).metadata.name, "another");
    expect((await history.createUnique(syncOf(owner), draft("one"), 0)).collisionCount).toBe(2);
  });
});

// upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_UpdateControllerRevision
describe("a revision's number", () => {
  test("changes, and nothing else", async () => {
    const { revision } = await history.createUnique(syncOf(owner), draft("one"), 0);
    const updated = await history.renumber(syncOf(owner), revision, 3);
    expect(updated).toMatchObject({ revision: 3, data: revision.data });
    expect(await client.get({ namespace: "default", name: revision.metadata.name ?? "" })).toEqual(updated);
  });

  test("that it has already is not written", async () => {
    const { revision } = await history.createUnique(syncOf(owner), draft("one"), 0);
    expect(await history.renumber(syncOf(owner), revision, 1)).toBe(revision);
  });

  test("is written on top of what somebody else wrote meanwhile", async () => {
    const { revision } = await history.createUnique(syncOf(owner), draft("one"), 0);
    await client.update({ ...revision, metadata: { ...revision.metadata, labels: { mine: "yes" } } });
    const updated = await history.renumber(syncOf(owner), revision, 3);
    expect(updated).toMatchObject({ revision: 3, metadata: { labels: { mine: "yes" } } });
  });

  test("of a revision that another one has replaced under its name is an error, and that one stays", async () => {
    const { revision } = await history.createUnique(syncOf(owner), draft("one"), 0);
    await client.delete({ namespace: "default", name: revision.metadata.name ?? "" });
    await take(revision.metadata.name, "other");
    await expect(history.renumber(syncOf(owner), revision, 3)).rejects.toSatisfy(isConflict);
    const [second] = await world.list(resources.controllerRevisions);
    expect(second?.revision).toBe(1);
  });

  test("of a revision that is gone is an error", async () => {
    const { revision } = await history.createUnique(syncOf(owner), draft("one"), 0);
    await client.delete({ namespace: "default", name: revision.metadata.name ?? "" });
    await expect(history.renumber(syncOf(owner), revision, 3)).rejects.toSatisfy(isNotFound);
  });
});

describe("an owner has", () => {
  // upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_ListControllerRevisions
  const db: Stored<StatefulSet> = asStored({ metadata: { ...owner.metadata, name: "db", uid: "other" } });
  const named = (name: string, by: Stored<StatefulSet>): ControllerRevision => {
    const { metadata, ...rest } = draft(name, 0, by);
    return { ...rest, metadata: { ...metadata, name } };
  };
  const free = (name: string): ControllerRevision => {
    const { metadata, ...rest } = named(name, owner);
    const { ownerReferences: _, ...unowned } = metadata;
    return { ...rest, metadata: unowned };
  };
  test.each([
    { name: "none of none", given: [], want: "" },
    { name: "all of its own", given: [named("a", owner), named("b", owner)], want: "a b" },
    { name: "not those of another", given: [named("a", owner), named("b", db)], want: "a" },
    { name: "and what nobody manages", given: [free("a"), named("b", owner)], want: "b a" },
  ])("$name", async ({ given, want }) => {
    for (const revision of given) await world.create(resources.controllerRevisions, revision);
    await world.run();
    const found = history.ownedByOrFree(asStored(owner));
    expect(found.map(({ metadata }) => metadata.name).join(" ")).toBe(want);
  });
});
