import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });

let world: ControllerWorld;
afterEach(async () => world.stop());

// upstream: pkg/controller/statefulset/stateful_pod_control_test.go#TestStatefulPodControlConsistencyStore,
// stateful_set_status_updater_test.go#TestStatefulSetStatusUpdaterConsistencyStore
describe("what a cache does not show yet is waited for", () => {
  beforeEach(async () => {
    world = await newWorld();
    await world.start(controller);
  });

  test.each(["pods", "persistentvolumeclaims", "controllerrevisions", "statefulsets"])(
    "%s: nothing is asked for twice",
    async (resource) => {
      await create(statefulSet("foo", 1, { podManagementPolicy: "Parallel" }));
      await world.runWithKubelet();
      world.takeWrites();
      const release = world.server.parts.faults.holdWatches({ resource });
      await update((owner) => changed(withImage(owner, "foo"), { replicas: 3 }));
      for (const replicas of [4, 5]) {
        await world.run();
        await update((owner) => changed(owner, { replicas }));
      }
      await world.run();
      release();
      await world.runWithKubelet();
      const writes = world.takeWrites();
      expect(writes.filter(({ status }) => status === 409).map(lineOf)).toEqual([]);
      const made = writes.filter(({ verb }) => verb === "create").map((write) => write.resource);
      const count = (of: string): number => made.filter((each) => each === of).length;
      // Four that are new, and the one that is updated.
      expect([count("pods"), count("persistentvolumeclaims"), count("controllerrevisions")]).toEqual([
        5, 4, 1,
      ]);
      expect((await world.get(resources.statefulSets, "foo")).status).toMatchObject({
        replicas: 5,
        updatedReplicas: 5,
      });
    },
  );

  test("a deletion too: an update never has two pods on their way where one is allowed", async () => {
    await create(statefulSet("foo", 3));
    await world.runWithKubelet();
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await update((owner) => withImage(owner, "foo"));
    await world.run();
    await update((owner) => changed(owner, { revisionHistoryLimit: 3 }));
    await world.run();
    const deletions = world.takeWrites().filter(({ verb }) => verb === "delete");
    expect(deletions.map(lineOf)).toEqual(["delete pods foo-2"]);
    release();
    await world.runWithKubelet();
  });

  test("that somebody else was faster in deleting a pod is told as nobody's success", async () => {
    await create(statefulSet("foo", 2));
    await world.runWithKubelet();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.client
      .clientFor<Pod>(resources.pods)
      .delete({ namespace: NAMESPACE, name: "foo-1" }, { gracePeriodSeconds: 0 });
    world.takeWrites();
    await update((owner) => changed(owner, { replicas: 1 }));
    await world.run();
    const deletions = world.takeWrites().filter(({ verb }) => verb === "delete");
    expect(new Set(deletions.map(({ name, status }) => `${name} ${status}`))).toEqual(new Set(["foo-1 404"]));
    release();
    await world.runWithKubelet();
    expect((await world.events()).filter((event) => event.includes("Delete"))).toEqual([]);
  });

  test("what was written for one that is gone does not hold up another of its name", async () => {
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await create(statefulSet("foo", 1, { volumeClaimTemplates: [] }));
    await world.run();
    await world.delete(resources.statefulSets, "foo");
    await world.client
      .clientFor<Pod>(resources.pods)
      .delete({ namespace: NAMESPACE, name: "foo-0" }, { gracePeriodSeconds: 0 });
    await world.run();
    const second = await create(statefulSet("foo", 1, { volumeClaimTemplates: [] }));
    await world.run();
    release();
    await world.runWithKubelet();
    const { metadata } = await world.get<Pod>(resources.pods, "foo-0");
    expect(metadata.ownerReferences?.[0]?.uid).toBe(second.metadata.uid);
  });
});

test("without the gate a write that is not seen yet may be tried again, and does no harm", async () => {
  world = await newWorld({ features: { StaleControllerConsistencyStatefulSet: false } });
  await world.start(controller);
  await create(statefulSet("foo", 3, { podManagementPolicy: "Parallel" }));
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await world.run();
  await update((owner) => changed(owner, { replicas: 4 }));
  await world.run();
  expect(world.takeWrites().filter(({ status }) => status === 409).length).toBeGreaterThan(0);
  release();
  await world.runWithKubelet();
  expect((await world.get(resources.statefulSets, "foo")).status).toMatchObject({ readyReplicas: 4 });
  const failures = (await world.events()).filter((event) => event.startsWith("Failed"));
  expect(failures).toEqual([]);
});

async function create(owner: StatefulSet): Promise<StatefulSet> {
  const { uid: _, ...metadata } = owner.metadata;
  return world.create(resources.statefulSets, { ...owner, metadata });
}

async function update(change: (owner: StatefulSet) => StatefulSet): Promise<void> {
  await world.update(resources.statefulSets, "foo", change);
}
