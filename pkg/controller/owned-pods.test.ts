import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { asStored, stored } from "../../test/harness/stored.ts";
import type { Projected } from "../api/projected.ts";
import { resources } from "../api/resources.ts";
import type { DaemonSet } from "../api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../api/types/core-v1.gen.ts";
import { forbidden } from "../apiserver/server/status-error.ts";
import { silentLogger } from "../log/logger.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { wired } from "./kit.ts";
import { OwnedPods } from "./owned-pods.ts";
import type { OwnerSync } from "./sync.ts";
import { itsOwner } from "./wake-rules.ts";

const owner = asStored<DaemonSet>({ metadata: { name: "web", namespace: "default", uid: "u" } });
const sync: OwnerSync<DaemonSet> = {
  owner,
  key: "default/web",
  reasons: [],
  log: silentLogger,
  signal: new AbortController().signal,
  decided: () => undefined,
};

let world: ControllerWorld;
let owned: OwnedPods<DaemonSet, Projected<Pod, []>>;
let consistency: ConsistencyStore;
beforeEach(async () => {
  world = await newWorld();
  await world.start({
    name: "probe",
    clientName: "probe",
    eventSource: "probe",
    build: wired((kit) => {
      const owners = kit.reads(resources.daemonSets);
      const pods = kit.reads(resources.pods, { fields: [] });
      consistency = kit.consistency;
      owned = new OwnedPods(kit, { owners, pods, podClient: kit.env.client.metadata(resources.pods) });
      const queue = kit.ownerQueue({ name: "probe", workers: 1, owners, sync: async () => ({}) });
      // The owner of these tests is in no cache: what was seen is told by the tests.
      pods.wakes(queue, itsOwner({ owners }));
    }),
  });
});
afterEach(async () => world.stop());

const template = (zone: string): PodTemplateSpec => ({
  metadata: { labels: { zone } },
  spec: { containers: [{ name: "main", image: "image" }] },
});
const zones = async (): Promise<readonly (string | undefined)[]> =>
  (await world.list<Pod>(resources.pods)).map(({ metadata }) => metadata.labels?.["zone"]);

test("pods of several templates are created and others deleted, and all of it is waited for", async () => {
  const { created: before } = await owned.change(sync, { create: [() => template("old")], remove: [] });
  owned.creationObserved(owner);
  expect(owned.settled(owner)).toBe(true);
  const create = ["a", "b"].map((zone) => () => template(zone));
  const { created, errors } = await owned.change(sync, { create, remove: before });
  expect(errors).toEqual([]);
  expect(created.map(({ metadata }) => metadata.labels?.["zone"])).toEqual(["a", "b"]);
  expect(new Set(await zones())).toEqual(new Set(["a", "b"]));
  owned.creationObserved(owner);
  owned.creationObserved(owner);
  expect(owned.settled(owner)).toBe(false);
  owned.deletionObserved(owner, `default/${before[0]?.metadata.name}`);
  expect(owned.settled(owner)).toBe(true);
});

test("what was refused is told, is not waited for, and costs no templates of those after it", async () => {
  world.server.parts.faults.add({
    target: { verb: "create", resource: "pods" },
    action: { kind: "status", when: "before", error: forbidden(resources.pods, "", "exceeded quota") },
  });
  const made: string[] = [];
  const create = ["a", "b", "c"].map((zone) => () => (made.push(zone), template(zone)));
  const { created, errors } = await owned.change(sync, { create, remove: [] });
  expect([created.length, errors.length, made]).toEqual([0, 1, ["a"]]);
  expect(owned.settled(owner)).toBe(true);
});

test("a pod that is changed is waited for", async () => {
  const { created } = await owned.change(sync, { create: [() => template("a")], remove: [] });
  await world.run();
  expect(consistency.staleness(sync.key)).toBeUndefined();
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  const [pod = stored<Pod>({ metadata: {} })] = created;
  await owned.label(sync, pod, { zone: "b" });
  expect(await zones()).toEqual(["b"]);
  expect(consistency.staleness(sync.key)).toBeDefined();
  release();
});

test("a pod that is released is waited for", async () => {
  const { created } = await owned.change(sync, { create: [() => template("a")], remove: [] });
  await world.run();
  expect(consistency.staleness(sync.key)).toBeUndefined();
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  expect(
    await owned.claim(
      sync,
      created.map((pod) => asStored<Projected<Pod, []>>(pod)),
      () => false,
    ),
  ).toEqual([]);
  expect(consistency.staleness(sync.key)).toBeDefined();
  release();
});

test("a pod that has taken the name of another gets none of its labels", async () => {
  const { created } = await owned.change(sync, { create: [() => template("a")], remove: [] });
  const [pod = stored<Pod>({ metadata: {} })] = created;
  const { name } = pod.metadata;
  await world.delete(resources.pods, name);
  await world.create(resources.pods, { ...template("z"), metadata: { name, labels: { zone: "z" } } });
  await owned.label(sync, pod, { zone: "b" });
  expect(await zones()).toEqual(["z"]);
});

test("an owner that is gone waits for nothing", async () => {
  for (const forget of [() => owned.delete(owner), () => owned.deleteName("default/web")]) {
    await owned.change(sync, { create: [() => template("a")], remove: [] });
    expect(owned.settled(owner)).toBe(false);
    forget();
    expect(owned.settled(owner)).toBe(true);
  }
});
