import { afterEach, beforeEach, expect, test } from "vitest";
import { AcceptedAnswers, METADATA_ONLY } from "../../test/harness/accepted-answers.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { StoredObject } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { Node } from "../api/types/core-v1.gen.ts";
import type { Patch } from "../client/resource-client.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { wired } from "./kit.ts";
import type { RecordedWrites } from "./recorded-writes.ts";
import type { OwnerSync } from "./sync.ts";

interface Given {
  readonly sync: OwnerSync<Node>;
  readonly writes: RecordedWrites<Node>;
  readonly consistency: ConsistencyStore;
}

const answers = new AcceptedAnswers();
let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld({ transport: answers.through });
});
afterEach(async () => world.stop());

async function givenToSync(): Promise<Given> {
  await world.create<Node>(resources.nodes, { metadata: { name: "a" } });
  let given: Given | undefined;
  await world.start({
    name: "probe",
    clientName: "probe",
    build: wired((kit) => {
      const writes = kit.writes(resources.nodes);
      const { consistency } = kit;
      const sync = async (each: OwnerSync<Node>) => ((given = { sync: each, writes, consistency }), {});
      kit.ownerQueue({ name: "probe", workers: 1, owners: kit.reads(resources.nodes), sync });
    }),
  });
  if (given === undefined) throw new Error("nothing was synced");
  return given;
}

type Patching = "patch" | "patchUnread" | "patchStatus" | "patchStatusUnread";
const spec = { spec: { unschedulable: true } };
const status = { status: { phase: "Running" } };

test.each<[Patching, object, boolean]>([
  ["patch", spec, false],
  ["patchUnread", spec, true],
  ["patchStatus", status, false],
  ["patchStatusUnread", status, true],
])("after %s the next sync waits; what is not read is not asked for", async (verb, body, isUnread) => {
  const { sync, writes, consistency } = await givenToSync();
  const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
  const patch: Patch = { type: "merge", body };
  const node: StoredObject = sync.owner;
  answers.take();
  await writes[verb](sync, node, patch);
  expect(answers.take().map((accepted) => accepted === METADATA_ONLY)).toEqual([isUnread]);
  expect(consistency.staleness(sync.key)).toBeDefined();
  expect(await world.get<Node>(resources.nodes, "a")).toMatchObject(body);
  release();
  await world.run();
  expect(consistency.staleness(sync.key)).toBeUndefined();
});

test("after a deletion that took the object at once the next sync waits until the cache has it no more", async () => {
  const { sync, writes, consistency } = await givenToSync();
  const other = await world.create<Node>(resources.nodes, { metadata: { name: "b" } });
  await world.run();
  const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
  await writes.delete(sync, asStored(other));
  expect(consistency.staleness(sync.key)).toMatchObject({ deleted: "b" });
  // Another object of the name is not waited for.
  await world.create<Node>(resources.nodes, { metadata: { name: "b" } });
  release();
  await world.run();
  expect(consistency.staleness(sync.key)).toBeUndefined();
});

test.each(["update", "updateStatus", "updateStatusUnread"] as const)(
  "after %s the next sync waits until the cache has seen it",
  async (verb) => {
    const { sync, writes, consistency } = await givenToSync();
    const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
    await writes[verb](sync, { ...sync.owner, ...spec, ...status });
    expect(consistency.staleness(sync.key)).toBeDefined();
    release();
    await world.run();
    expect(consistency.staleness(sync.key)).toBeUndefined();
  },
);

test.each(["updateStatus", "updateStatusUnread"] as const)(
  "%s does not send again what the server made nothing of, until something else is to be said",
  async (verb) => {
    const { sync, writes, consistency } = await givenToSync();
    const node = sync.owner;
    const said = { ...node, status: { ...node.status, phase: "Running" } };
    world.takeWrites();
    await writes[verb](sync, node);
    await writes[verb](sync, node);
    expect(world.takeWrites()).toHaveLength(1);
    expect(consistency.staleness(sync.key)).toBeUndefined();
    await writes[verb](sync, said);
    expect(world.takeWrites()).toHaveLength(1);
    expect(await world.get<Node>(resources.nodes, "a")).toMatchObject({ status: { phase: "Running" } });
  },
);

test("what is known of a status that became nothing is the whole object", async () => {
  const { sync, writes } = await givenToSync();
  const answer = await writes.updateStatus(sync, sync.owner);
  expect(await writes.updateStatus(sync, sync.owner)).toEqual(answer);
  expect(answer).toMatchObject({ metadata: { name: "a" }, status: sync.owner.status });
});
