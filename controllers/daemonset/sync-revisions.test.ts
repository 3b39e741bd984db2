import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf, newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { DaemonSetInWorld } from "../../test/harness/daemon-set-in-world.ts";
import { daemonSetController } from "./controller.ts";
import { REVISION_HASH } from "./daemon-set.ts";
import { targetNode } from "./pod-template.ts";
import { LABELS, NO_STATUS, ROLLING, surge, unavailable } from "./samples.test-data.ts";
import { asStored } from "../../test/harness/stored.ts";

const controller = daemonSetController({ workers: 2 });

let world: ControllerWorld;
let it: DaemonSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  it = new DaemonSetInWorld(world);
});
afterEach(async () => world.stop());

/** The first revision is made, the controller stops, and the name is free for another. */
async function nameOfDeletedRevision(): Promise<string> {
  await world.start(controller);
  const [first] = await it.revisions();
  await world.stop();
  const { name = "" } = first?.metadata ?? {};
  await world.delete(resources.controllerRevisions, name);
  return name;
}

describe("an update", () => {
  test.each([
    ["deletes first, in turns", unavailable(1)],
    ["deletes first, all at once", unavailable("100%")],
    ["creates first, in turns", surge(1)],
    ["creates first, all at once", surge("100%")],
  ])("that %s ends with new pods on all nodes", async (_, strategy) => {
    await it.addNodes(4);
    await it.create({ strategy });
    await world.start(controller);
    await world.runWithKubelet();
    await it.setImage("foo2/bar2");
    await world.runWithKubelet();
    const all = await it.pods();
    expect(all.map(({ spec }) => spec?.containers[0]?.image)).toEqual(all.map(() => "foo2/bar2"));
    expect(new Set(all.map(({ spec }) => targetNode(spec))).size).toBe(4);
    expect(all).toHaveLength(4);
    expect(await it.status()).toMatchObject({
      updatedNumberScheduled: 4,
      numberAvailable: 4,
      observedGeneration: 2,
    });
    expect(world.takeWrites().filter((write) => write.status >= 300)).toEqual([]);
  });

  test("of one that says OnDelete waits for the deletion", async () => {
    await it.addNodes(2);
    await it.create();
    await world.start(controller);
    await world.runWithKubelet();
    await it.setImage("foo2/bar2");
    await world.run();
    const [first] = await it.pods();
    await world.delete(resources.pods, first?.metadata.name ?? "");
    await world.run();
    const images = await it.images();
    expect(new Set(images)).toEqual(new Set(["foo/bar", "foo2/bar2"]));
  });

  test("goes on when a pod has been ready for long enough, though the wait began under another manager", async () => {
    await it.addNodes(1);
    await it.create({ strategy: surge(1), minReadySeconds: 60 });
    await world.start(controller);
    await world.runWithKubelet();
    await world.run(60_000);
    await it.setImage("foo2/bar2");
    await world.runWithKubelet();
    expect(await it.pods()).toHaveLength(2);
    await world.stop();
    await world.start(controller);
    await world.run(60_000);
    expect((await it.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(
      1,
    );
  });
});

describe("revisions", () => {
  test("say what was rolled out when, and no more are kept than are to be", async () => {
    await it.addNodes(1);
    await it.create({ strategy: ROLLING, historyLimit: 2 });
    await world.start(controller);
    for (const image of ["two", "three", "four", "two"]) {
      await it.setImage(image);
      await world.runWithKubelet();
    }
    const kept = await it.revisions();
    expect(kept.map(({ revision }) => revision)).toEqual([3, 4, 5]);
    const current = kept.at(-1);
    expect(current?.data).toMatchObject({
      spec: { template: { $patch: "replace", spec: { containers: [{ image: "two" }] } } },
    });
    expect((await it.pods()).map(({ metadata }) => metadata.labels?.[REVISION_HASH])).toEqual([
      current?.metadata.labels?.[REVISION_HASH],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestControlledHistories
  test("without an owner are adopted, but not those of another namespace", async () => {
    await world.create(resources.namespaces, { metadata: { name: "elsewhere" } });
    const stray = (namespace: string): ControllerRevision => ({
      metadata: { name: "stray", namespace, labels: LABELS },
      data: { spec: {} },
      revision: 7,
    });
    for (const namespace of ["default", "elsewhere"])
      await world.create(resources.controllerRevisions, stray(namespace));
    const made = await it.create();
    await world.start(controller);
    const managers = (await it.revisions()).map((each) => [each.metadata.namespace, controllerOf(each)?.uid]);
    expect(managers).toEqual(
      expect.arrayContaining([
        ["default", made.metadata.uid],
        ["default", made.metadata.uid],
        ["elsewhere", undefined],
      ]),
    );
    // It is older than the hash, and gets its name as one; the current template counts on from its number.
    const [older, current] = (await it.revisions()).filter(
      ({ metadata }) => metadata.namespace === "default",
    );
    expect(older?.metadata.labels?.[REVISION_HASH]).toBe("stray");
    expect(current?.revision).toBe(8);
  });

  test("that hold the same template become one, and pods of the others its pods", async () => {
    await it.addNodes(1);
    const made = await it.create({ strategy: ROLLING });
    await world.start(controller);
    const [first] = await it.revisions();
    const [before] = await it.pods();
    const { resourceVersion: _, uid: __, ...metadata } = first?.metadata ?? {};
    await world.create(resources.controllerRevisions, {
      ...first,
      metadata: { ...metadata, name: "twin", labels: { ...LABELS, [REVISION_HASH]: "twin" } },
      revision: 5,
    });
    // A new revision with an owner wakes nobody.
    await world.update(resources.daemonSets, "foo", (ds) => ({
      ...ds,
      metadata: { ...ds.metadata, annotations: { ...ds.metadata.annotations, touched: "yes" } },
    }));
    await world.run();
    expect((await it.revisions()).map((each) => each.metadata.name)).toEqual(["twin"]);
    const [after] = await it.pods();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.labels?.[REVISION_HASH]).toBe("twin");
    expect(controllerOf(after ?? { metadata: {} })?.uid).toBe(made.metadata.uid);
  });

  test("of another template that have the name already make the next one be taken", async () => {
    const made = await it.create();
    const name = await nameOfDeletedRevision();
    const ownerReferences = [
      newControllerRef(asStored({ metadata: { name: "x", uid: "x" } }), resources.daemonSets),
    ];
    await world.create(resources.controllerRevisions, {
      metadata: { name, labels: { other: "yes" }, ownerReferences },
      data: { spec: {} },
      revision: 1,
    });
    await world.start(controller);
    const mine = (await it.revisions()).filter((each) => controllerOf(each)?.uid === made.metadata.uid);
    expect(mine.map(({ metadata }) => metadata.name)).not.toContain(name);
    expect(mine).toHaveLength(1);
    expect((await it.status())?.collisionCount).toBe(1);
  });

  // upstream: pkg/controller/daemon/update.go#snapshot
  test("whose collisions somebody else has counted meanwhile are not counted once more", async () => {
    const made = await it.create();
    const name = await nameOfDeletedRevision();
    await world.create(resources.controllerRevisions, {
      metadata: { name, labels: { other: "yes" } },
      data: { spec: {} },
      revision: 1,
    });
    let release = (): void => undefined;
    world.server.parts.faults.add({
      target: { verb: "create", resource: "controllerrevisions" },
      action: {
        kind: "interfere",
        run: async () => {
          release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
          const now = await world.get<DaemonSet>(resources.daemonSets, "foo");
          const status = { ...NO_STATUS, ...now.status, collisionCount: 7 };
          await world.client.clientFor<DaemonSet>(resources.daemonSets).updateStatus({ ...now, status });
        },
      },
      times: 1,
    });
    world.takeWrites();
    await world.start(controller);
    await world.run(10_000);
    expect(world.takeWrites().filter(({ resource }) => resource === "daemonsets/status")).toEqual([]);
    release();
    await world.run(60_000);
    expect((await it.status())?.collisionCount).toBe(7);
    const mine = (await it.revisions()).filter((each) => controllerOf(each)?.uid === made.metadata.uid);
    expect(mine).toHaveLength(1);
  });
});
