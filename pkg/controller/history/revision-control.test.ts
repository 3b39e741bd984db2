import { beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../../test/harness/controller-world.ts";
import { newRevision, REVISION_HASH_LABEL, templateData } from "../../api/controller-revision.ts";
import { resources } from "../../api/resources.ts";
import type { ControllerRevision } from "../../api/types/apps-v1.gen.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { createRevision, createUniqueRevision, renumberRevision } from "./revision-control.ts";

const signal = new AbortController().signal;
const owner = { metadata: { name: "web", namespace: "default", uid: "u" } };

let world: ControllerWorld;
let client: ResourceClient<ControllerRevision>;
beforeEach(async () => {
  world = await newWorld();
  client = world.client.clientFor(resources.controllerRevisions);
});

function draft(image: string, collisionCount = 0, by = owner): ControllerRevision {
  const data = templateData({ spec: { containers: [{ name: "a", image }] } });
  const facts = { ownerResource: resources.statefulSets, labels: {}, annotations: {}, revision: 1 };
  return newRevision({ ...facts, owner: by, data, collisionCount });
}

/** Another revision that has the name already. */
async function take(name: string | undefined, image: string): Promise<void> {
  const { metadata, ...rest } = draft(image);
  await createRevision(client, { ...rest, metadata: { ...metadata, name: name ?? "" } }, signal);
}

// upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_CreateControllerRevision
describe("a new revision", () => {
  test("has the name of its hash", async () => {
    const made = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    expect(made.revision.metadata.name).toBe(draft("one").metadata.name);
    expect(made.collisionCount).toBe(0);
  });

  test("does not collide with that of another owner", async () => {
    const other = { metadata: { ...owner.metadata, name: "db" } };
    await createUniqueRevision(client, owner, draft("one"), 0, signal);
    const made = await createUniqueRevision(client, other, draft("one", 0, other), 0, signal);
    expect(made.collisionCount).toBe(0);
    expect(await world.list(resources.controllerRevisions)).toHaveLength(2);
  });

  test("takes another name where other data has it, and finds that name again", async () => {
    const { name, labels } = draft("one").metadata;
    await take(name, "other");
    const made = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    expect(made.revision.metadata.name).toBe(draft("one", 1).metadata.name);
    expect(made.revision.metadata.labels?.[REVISION_HASH_LABEL]).toBe(labels?.[REVISION_HASH_LABEL]);
    expect(made.collisionCount).toBe(1);
    const again = await createUniqueRevision(client, owner, draft("one"), 1, signal);
    expect(again).toEqual({ revision: made.revision, collisionCount: 1 });
  });

  test("is not that of another owner that had the name, with which it will go", async () => {
    const earlier = { metadata: { ...owner.metadata, uid: "earlier" } };
    await createUniqueRevision(client, earlier, draft("one", 0, earlier), 0, signal);
    const made = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    expect(made.collisionCount).toBe(1);
    expect(made.revision.metadata.ownerReferences).toMatchObject([{ uid: "u" }]);
  });

  test("passes over as many names as are taken", async () => {
    await take(draft("one").metadata.name, "other");
    await take(draft("one", 1).metadata.name, "another");
    expect((await createUniqueRevision(client, owner, draft("one"), 0, signal)).collisionCount).toBe(2);
  });
});

// upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_UpdateControllerRevision
describe("a revision's number", () => {
  test("changes, and nothing else", async () => {
    const { revision } = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    const updated = await renumberRevision(client, revision, 3, signal);
    expect(updated).toMatchObject({ revision: 3, data: revision.data });
    expect(await client.get({ namespace: "default", name: revision.metadata.name ?? "" })).toEqual(updated);
  });

  test("that it has already is not written", async () => {
    const { revision } = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    expect(await renumberRevision(client, revision, 1, signal)).toBe(revision);
  });

  test("is written on top of what somebody else wrote meanwhile", async () => {
    const { revision } = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    await client.update({ ...revision, metadata: { ...revision.metadata, labels: { mine: "yes" } } });
    const updated = await renumberRevision(client, revision, 3, signal);
    expect(updated).toMatchObject({ revision: 3, metadata: { labels: { mine: "yes" } } });
  });

  test("of a revision that another one has replaced under its name is an error, and that one stays", async () => {
    const { revision } = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    await client.delete({ namespace: "default", name: revision.metadata.name ?? "" });
    await take(revision.metadata.name, "other");
    await expect(renumberRevision(client, revision, 3, signal)).rejects.toSatisfy(isConflict);
    const [second] = await world.list(resources.controllerRevisions);
    expect(second?.revision).toBe(1);
  });

  test("of a revision that is gone is an error", async () => {
    const { revision } = await createUniqueRevision(client, owner, draft("one"), 0, signal);
    await client.delete({ namespace: "default", name: revision.metadata.name ?? "" });
    await expect(renumberRevision(client, revision, 3, signal)).rejects.toSatisfy(isNotFound);
  });
});
