import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSetSpec } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { settledCounts, StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet, withImage } from "./samples.test-data.ts";

// An update of the template and of the size at once, in each order in which pods may come and go.

const controller = statefulSetController({ workers: 2 });
const KEEP = { whenDeleted: "Retain", whenScaled: "Retain" };
const GO = { whenDeleted: "Delete", whenScaled: "Delete" };

let world: ControllerWorld;
let foo: StatefulSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  foo = new StatefulSetInWorld(world);
  await world.start(controller);
});
afterEach(async () => world.stop());

async function createSettled(replicas: number, more: Partial<StatefulSetSpec>): Promise<void> {
  await foo.create(statefulSet("foo", replicas, more));
  await world.runWithKubelet();
  expect((await foo.get()).status).toMatchObject(settledCounts(replicas));
}

async function updateTo(image: string, replicas: number): Promise<void> {
  await world.update(resources.statefulSets, "foo", (owner) =>
    changed(withImage(asStored(owner), image), { replicas }),
  );
  await world.runWithKubelet();
}

/** What the garbage collector would do: claims go with the pods that own them. */
async function collectClaims(): Promise<void> {
  const pods = new Set((await world.list<Pod>(resources.pods)).map(({ metadata }) => metadata.uid));
  const claims = await world.list<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  for (const { metadata } of claims) {
    const gone = metadata.ownerReferences?.some(({ kind, uid }) => kind === "Pod" && !pods.has(uid));
    if (gone) await world.delete(resources.persistentVolumeClaims, metadata.name ?? "");
  }
}

describe.each(["OrderedReady", "Parallel"])("%s", (podManagementPolicy) => {
  // upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetControlOnDeleteUpdate
  describe.each([
    ["that stay", KEEP],
    ["that go", GO],
  ])("on deletion, with claims %s", (_name, persistentVolumeClaimRetentionPolicy) => {
    test.each([
      ["all stay as they are", 3, ["nginx", "nginx", "nginx"]],
      ["only what is added is new", 5, ["nginx", "nginx", "nginx", "foo", "foo"]],
      ["what is left stays as it is", 2, ["nginx", "nginx"]],
    ])("%s, until all were gone once", async (_case, replicas, images) => {
      const updateStrategy = { type: "OnDelete" };
      await createSettled(3, { podManagementPolicy, updateStrategy, persistentVolumeClaimRetentionPolicy });
      await updateTo("foo", replicas);
      expect(await foo.images()).toEqual(images);
      await collectClaims();
      await foo.update({ replicas: 0 });
      expect(await foo.names(resources.pods)).toEqual([]);
      await collectClaims();
      const left = await foo.names(resources.persistentVolumeClaims);
      expect(left).toHaveLength(persistentVolumeClaimRetentionPolicy === KEEP ? Math.max(3, replicas) : 0);
      await foo.update({ replicas });
      expect(await foo.images()).toEqual(images.map(() => "foo"));
      expect((await foo.get()).status).toMatchObject({ replicas, readyReplicas: replicas });
    });
  });

  // upstream: stateful_set_control_test.go#TestStatefulSetControlRollingUpdateWithPartition
  test.each([
    ["the same size", 3, ["nginx", "nginx", "foo"], { currentReplicas: 2, updatedReplicas: 1 }],
    ["more pods", 5, ["nginx", "nginx", "foo", "foo", "foo"], { currentReplicas: 2, updatedReplicas: 3 }],
    ["fewer pods", 2, ["nginx", "nginx"], { currentReplicas: 2, updatedReplicas: 0 }],
  ])("a partition at 2 keeps the first two, with %s", async (_case, replicas, images, counts) => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    await createSettled(3, { podManagementPolicy, updateStrategy });
    await updateTo("foo", replicas);
    expect(await foo.images()).toEqual(images);
    const { updatedReplicas, ...status } = (await foo.get()).status ?? { replicas: 0 };
    expect({ ...status, updatedReplicas: updatedReplicas ?? 0 }).toMatchObject({ replicas, ...counts });
    expect(status.currentRevision).not.toBe(status.updateRevision);
  });

  // upstream: stateful_set_control_test.go#TestStatefulSetControlRollback
  test.each([
    ["as many", 3, 3],
    ["more", 3, 5],
    ["fewer", 5, 3],
  ])("what was rolled out with %s pods is rolled back in all of them", async (_case, before, replicas) => {
    await createSettled(before, { podManagementPolicy });
    const first = (await foo.get()).status?.currentRevision;
    await updateTo("foo", replicas);
    expect(await foo.images()).toEqual(Array.from({ length: replicas }, () => "foo"));
    await updateTo("nginx", replicas);
    expect(await foo.images()).toEqual(Array.from({ length: replicas }, () => "nginx"));
    expect((await foo.get()).status).toMatchObject({
      ...settledCounts(replicas),
      currentRevision: first,
      updateRevision: first,
    });
    expect(await foo.names(resources.controllerRevisions)).toHaveLength(2);
  });
});
