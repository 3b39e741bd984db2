import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });

const GO = { whenDeleted: "Delete", whenScaled: "Delete" };

let world: ControllerWorld;
afterEach(async () => world.stop());

// upstream: pkg/controller/statefulset/stateful_pod_control_test.go#TestStatefulPodControlConsistencyStore,
// stateful_set_status_updater_test.go#TestStatefulSetStatusUpdaterConsistencyStore
describe("what a cache does not show yet is waited for", () => {
  let metrics: ExposedMetrics;
  beforeEach(async () => {
    metrics = createMetrics({ version: "1.36.4" }).main;
    world = await newWorld({ metrics });
    await world.start(controller);
  });

  test.each(["pods", "persistentvolumeclaims", "controllerrevisions", "statefulsets"])(
    "%s: nothing is asked for twice",
    async (resource) => {
      await create(statefulSet("foo", 1, { podManagementPolicy: "Parallel" }));
      await world.runWithKubelet();
      world.takeWrites();
      const release = world.server.parts.faults.holdWatches({ resource });
      await update((owner) => changed(withImage(asStored(owner), "foo"), { replicas: 3 }));
      for (const replicas of [4, 5]) {
        await world.run();
        await update((owner) => changed(asStored(owner), { replicas }));
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

  // kubernetes/kubernetes#138451: upstream counts them, and shows them nowhere.
  test("and that is counted where everybody can see it", async () => {
    await create(statefulSet("foo", 1));
    await world.runWithKubelet();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await update((owner) => changed(asStored(owner), { replicas: 2 }));
    await world.run();
    await update((owner) => changed(asStored(owner), { replicas: 3 }));
    await world.run();
    release();
    expect(await metrics.expose()).toMatch(
      /^statefulset_controller_stale_sync_skips_total\{group="",resource="pods"\} [1-9]/m,
    );
  });

  test("a deletion too: an update never has two pods on their way where one is allowed", async () => {
    await create(statefulSet("foo", 3));
    await world.runWithKubelet();
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await update((owner) => withImage(asStored(owner), "foo"));
    await world.run();
    await update((owner) => changed(asStored(owner), { revisionHistoryLimit: 3 }));
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
    await update((owner) => changed(asStored(owner), { replicas: 1 }));
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

describe("what the cache shows may have gone, and another have its name", () => {
  beforeEach(async () => {
    world = await newWorld();
    await world.start(controller);
    await create(statefulSet("foo", 1));
    await world.runWithKubelet();
  });

  /** Deletes it at once, unseen by the controller, and puts another in its place. */
  async function replace<T extends ApiObject>(resource: TypedResource<T>, by: T): Promise<() => void> {
    const release = world.server.parts.faults.holdWatches({ resource: resource.plural });
    const { name = "" } = by.metadata;
    const ref = { namespace: NAMESPACE, name };
    await world.client.clientFor(resource).delete(ref, { gracePeriodSeconds: 0 });
    await world.create(resource, by);
    return release;
  }

  /** Takes a label away, which is seen when nothing else of the pod is seen any more. */
  async function loseLabel(): Promise<void> {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "pods" },
      times: 1,
      action: { kind: "status", when: "before", error: internal("down") },
    });
    const labels = { "statefulset.kubernetes.io/pod-name": "other" };
    await world.client
      .clientFor<Pod>(resources.pods)
      .patch({ namespace: NAMESPACE, name: "foo-0" }, { type: "merge", body: { metadata: { labels } } });
    await world.run(0);
  }

  async function expectLeftAlone(): Promise<void> {
    const before = await world.get(resources.pods, "foo-0");
    world.takeWrites();
    await world.run();
    expect(await world.get(resources.pods, "foo-0")).toEqual(before);
    expect(world.takeWrites().filter(({ resource }) => resource === "pods")).toEqual([]);
    expect((await world.events()).filter((event) => event.startsWith("SuccessfulUpdate"))).toEqual([]);
  }

  test("a stranger's pod gets no labels", async () => {
    await loseLabel();
    const release = await replace<Pod>(resources.pods, {
      metadata: { name: "foo-0", labels: { its: "own" } },
      spec: { containers: [{ name: "c", image: "nginx" }] },
    });
    await expectLeftAlone();
    release();
  });

  test("nor does a pod that was let go", async () => {
    await loseLabel();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.update<Pod>(resources.pods, "foo-0", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [] },
    }));
    await expectLeftAlone();
    release();
  });

  test("a user's own claim gets no owner with which it would go", async () => {
    const claim = await world.get(resources.persistentVolumeClaims, "datadir-foo-0");
    const own = { metadata: { name: "datadir-foo-0" }, ...(claim.spec && { spec: claim.spec }) };
    const release = await replace<PersistentVolumeClaim>(resources.persistentVolumeClaims, own);
    world.takeWrites();
    await update((owner) => changed(asStored(owner), { persistentVolumeClaimRetentionPolicy: GO }));
    await world.run(100);
    const { metadata } = await world.get(resources.persistentVolumeClaims, "datadir-foo-0");
    expect(metadata.ownerReferences ?? []).toEqual([]);
    expect(world.takeWrites().filter(({ resource }) => resource === "persistentvolumeclaims")).toEqual([]);
    release();
  });

  test("a new StatefulSet gets no status of the one before", async () => {
    const release = await replace(resources.statefulSets, {
      ...statefulSet("foo", 5),
      metadata: { name: "foo" },
    });
    world.takeWrites();
    await world.markPod("foo-0", "running");
    await world.run(100);
    const refused = world.takeWrites().filter(({ resource }) => resource === "statefulsets/status");
    expect(refused.map((write) => `${lineOf(write)} ${write.status}`)).toEqual([
      "update statefulsets/status foo 409",
    ]);
    expect((await world.get(resources.statefulSets, "foo")).status).toEqual({
      availableReplicas: 0,
      replicas: 0,
    });
    release();
  });
});

test("without the gate a write that is not seen yet may be tried again, and does no harm", async () => {
  world = await newWorld({ features: { StaleControllerConsistencyStatefulSet: false } });
  await world.start(controller);
  await create(statefulSet("foo", 3, { podManagementPolicy: "Parallel" }));
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await world.run();
  await update((owner) => changed(asStored(owner), { replicas: 4 }));
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
