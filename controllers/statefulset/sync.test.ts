import { asStored } from "../../test/harness/stored.ts";
import { compareInt64 } from "../../pkg/api/int64.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { settledCounts, StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, LABELS, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });
const policies = ["OrderedReady", "Parallel"] as const;

let world: ControllerWorld;
let foo: StatefulSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  foo = new StatefulSetInWorld(world);
});
afterEach(async () => world.stop());

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetControl
describe.each(policies)("%s", (podManagementPolicy) => {
  beforeEach(async () => world.start(controller));

  // upstream: #CreatePods, stateful_set_test.go#TestStatefulSetControllerCreates
  test("pods are created with their places, claims and revision, and the status tells of them", async () => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    const pods = await world.list<Pod>(resources.pods);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(["foo-0", "foo-1", "foo-2"]);
    const { status } = await foo.get();
    for (const [ordinal, { metadata, spec }] of pods.entries()) {
      expect(metadata.labels).toEqual({
        foo: "bar",
        "statefulset.kubernetes.io/pod-name": `foo-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
        "controller-revision-hash": status?.updateRevision,
      });
      expect(spec).toMatchObject({ hostname: `foo-${ordinal}`, subdomain: "governingsvc" });
      expect(spec?.volumes?.[0]?.persistentVolumeClaim?.claimName).toBe(`datadir-foo-${ordinal}`);
    }
    expect(status).toMatchObject(settledCounts(3));
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(await foo.names(resources.persistentVolumeClaims)).toEqual(
      [0, 1, 2].map((n) => `datadir-foo-${n}`),
    );
  });

  // upstream: #ScalesUp, #ScalesDown
  test.each([5, 1, 0])("from three to %i", async (replicas) => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas }));
    await world.runWithKubelet();
    expect((await foo.get()).status).toMatchObject(settledCounts(replicas));
    expect(await foo.names(resources.pods)).toHaveLength(replicas);
    // Claims stay, for the day on which pods of their names come back.
    expect(await foo.names(resources.persistentVolumeClaims)).toHaveLength(Math.max(3, replicas));
  });

  // upstream: #ReplacesPods
  test("pods that are gone come back under their names", async () => {
    await foo.create(statefulSet("foo", 5, { podManagementPolicy }));
    await world.runWithKubelet();
    const before = await foo.uids();
    for (const name of ["foo-0", "foo-2", "foo-4"]) await world.delete(resources.pods, name);
    await world.runWithKubelet();
    const after = await foo.uids();
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].filter(([name, uid]) => before.get(name) === uid).map(([name]) => name)).toEqual([
      "foo-1",
      "foo-3",
    ]);
  });

  // upstream: #RecreatesFailedPod, #RecreatesSucceededPod, #…WithDeleteFailure
  test.each([false, true])(
    "a pod that has failed is replaced (a deletion fails first: %s)",
    async (fails) => {
      await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
      await world.runWithKubelet();
      const before = await foo.uids();
      if (fails) foo.failOnce("delete", "pods");
      await world.markPod("foo-1", "failed");
      await world.runWithKubelet({ fateOf: (pod) => (pod.status?.phase === "Failed" ? "failed" : "ready") });
      const after = await foo.uids();
      expect(after.get("foo-1")).not.toBe(before.get("foo-1"));
      expect(after.get("foo-0")).toBe(before.get("foo-0"));
      expect((await foo.get()).status).toMatchObject(settledCounts(3));
    },
  );

  // upstream: #CreatePodFailure, #UpdateSetStatusFailure
  test.each([
    ["create", "pods"],
    ["create", "persistentvolumeclaims"],
    ["create", "controllerrevisions"],
    ["update", "statefulsets"],
  ] as const)("a %s of %s that fails is tried again", async (verb, resource) => {
    foo.failOnce(verb, resource);
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    expect((await foo.get()).status).toMatchObject(settledCounts(3));
  });

  // upstream: #UpdatePodFailure, stateful_pod_control_test.go#TestStatefulPodControlUpdatesIdentity
  test.each([false, true])(
    "labels that are lost are given back (the update fails first: %s)",
    async (fails) => {
      await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
      await world.runWithKubelet();
      const lost = { "statefulset.kubernetes.io/pod-name": "goo-0" };
      await world.update<Pod>(resources.pods, "foo-0", (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...lost } },
      }));
      if (fails) foo.failOnce("update", "pods");
      await world.runWithKubelet();
      const { metadata } = await world.get<Pod>(resources.pods, "foo-0");
      expect(metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("foo-0");
      const told = (await world.events()).filter((event) => event.includes("Update"));
      expect(told).toContain("SuccessfulUpdate Update Pod foo-0 in StatefulSet foo successful");
      expect(told.some((event) => event.startsWith("FailedUpdate"))).toBe(fails);
    },
  );

  // upstream: #TestStatefulSetControlRollingUpdate
  test.each([3, 5, 1])("a new template reaches all pods, from three to %i at once", async (replicas) => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    const [old] = await foo.names(resources.controllerRevisions);
    await world.update(resources.statefulSets, "foo", (owner) =>
      changed(withImage(asStored(owner), "foo"), { replicas }),
    );
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(Array.from({ length: replicas }, () => "foo"));
    const { status } = await foo.get();
    expect(status).toMatchObject(settledCounts(replicas));
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(status?.currentRevision).not.toBe(old);
    expect(await foo.names(resources.controllerRevisions)).toHaveLength(2);
  });

  // upstream: #TestStatefulSetControlRollingUpdateWithPartition
  test("a partition keeps those before it, also when they come back", async () => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    await foo.create(statefulSet("foo", 4, { podManagementPolicy, updateStrategy }));
    await world.runWithKubelet();
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "foo", "foo"]);
    await world.delete(resources.pods, "foo-0");
    await world.delete(resources.pods, "foo-3");
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "foo", "foo"]);
    expect((await foo.get()).status).toMatchObject({ currentReplicas: 2, updatedReplicas: 2 });
  });

  test("a partition keeps the old template though no pod has it for a while, and no history is kept", async () => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    const more = { podManagementPolicy, updateStrategy, revisionHistoryLimit: 0 };
    await foo.create(statefulSet("foo", 3, more));
    await world.runWithKubelet();
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "foo"]);
    for (const name of ["foo-0", "foo-1"]) await world.delete(resources.pods, name);
    await world.runWithKubelet();
    await world.delete(resources.pods, "foo-0");
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "foo"]);
  });

  // upstream: #TestStatefulSetControlOnDeleteUpdate
  test("on deletion only what is deleted gets the new template", async () => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy, updateStrategy: { type: "OnDelete" } }));
    await world.runWithKubelet();
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "nginx"]);
    await world.delete(resources.pods, "foo-1");
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "foo", "nginx"]);
    expect((await foo.get()).status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    for (const name of ["foo-0", "foo-2"]) await world.delete(resources.pods, name);
    await world.runWithKubelet();
    const { status } = await foo.get();
    expect(status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 });
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });

  // upstream: #TestStatefulSetControlRollback
  test("an earlier template again is its revision again, under a new number", async () => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    const [first] = await world.list(resources.controllerRevisions);
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
    await world.runWithKubelet();
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "nginx"));
    await world.runWithKubelet();
    expect(await foo.images()).toEqual(["nginx", "nginx", "nginx"]);
    const revisions = await world.list(resources.controllerRevisions);
    const again = revisions.find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect([again?.revision, revisions.length]).toEqual([3, 2]);
    expect((await foo.get()).status?.currentRevision).toBe(first?.metadata.name);
  });

  test("a settled StatefulSet gets no write, nor after a restart of the controller", async () => {
    const retention = { whenDeleted: "Delete", whenScaled: "Delete" };
    await foo.create(
      statefulSet("foo", 3, { podManagementPolicy, persistentVolumeClaimRetentionPolicy: retention }),
    );
    await world.runWithKubelet();
    world.takeWrites();
    await world.run(600_000);
    await world.stop();
    await world.start(controller);
    await world.run(600_000);
    expect(world.takeWrites().map(lineOf)).toEqual([]);
  });
});

// upstream: stateful_set_control_test.go#TestStatefulSetHonorRevisionHistoryLimit, #TestStatefulSetControlLimitsHistory
test("old revisions above the limit go, and none that is in use", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 2, { revisionHistoryLimit: 2 }));
  await world.runWithKubelet();
  for (const image of ["a", "b", "c", "d"]) {
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), image));
    await world.runWithKubelet();
  }
  const revisions = await world.list(resources.controllerRevisions);
  expect(revisions.map(({ revision }) => revision).toSorted(compareInt64)).toEqual([3, 4, 5]);
});

test.each([
  [true, 1],
  [false, 2],
])(
  "a template in the bytes of another version means the same, where that is compared (%s)",
  async (isOn, count) => {
    await world.stop();
    world = await newWorld({ features: { StatefulSetSemanticRevisionComparison: isOn } });
    foo = new StatefulSetInWorld(world);
    await foo.create(statefulSet("foo", 1));
    await world.start(controller);
    await world.stop();
    const [made] = await world.list<ControllerRevision>(resources.controllerRevisions);
    const { resourceVersion: _, uid: __, ...metadata } = made?.metadata ?? {};
    const { name = "" } = metadata;
    const nulled = JSON.stringify(made?.data).replace('"template":{', '"template":{"status":null,');
    await world.delete(resources.controllerRevisions, name);
    await world.create<ControllerRevision>(resources.controllerRevisions, {
      metadata: { ...metadata, name: "foo-other" },
      data: JSON.parse(nulled),
      revision: 1,
    });
    await world.start(controller);
    expect(await foo.names(resources.controllerRevisions)).toHaveLength(count);
  },
);

test("what is deleted as it is outdated does not count as current in the same sync", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 3));
  await world.runWithKubelet();
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
  await world.run();
  expect((await foo.get()).status).toMatchObject({ replicas: 3, currentReplicas: 2 });
  release();
});

test("revisions that nobody manages are adopted, and serve", async () => {
  await foo.create(statefulSet("foo", 1));
  await world.start(controller);
  await world.runWithKubelet();
  await world.stop();
  const [made] = await world.list(resources.controllerRevisions);
  await world.update(resources.controllerRevisions, made?.metadata.name ?? "", (revision) => ({
    ...revision,
    metadata: { ...revision.metadata, ownerReferences: [] },
  }));
  world.takeWrites();
  await world.start(controller);
  expect(world.takeWrites().map(lineOf)).toEqual([`patch controllerrevisions ${made?.metadata.name}`]);
  const [adopted] = await world.list(resources.controllerRevisions);
  expect(adopted?.metadata.ownerReferences?.[0]).toMatchObject({ name: "foo", controller: true });
});

// upstream: stateful_set_test.go#TestGetPodsForStatefulSetAdopt, #TestGetPodsForStatefulSetRelease
test("pods of its names and labels are adopted; those that lost their labels are released", async () => {
  await foo.create(statefulSet("foo", 3));
  await world.start(controller);
  await world.runWithKubelet();
  await world.stop();
  const pods = resources.pods;
  const orphaned = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
  const relabelled = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { a: "b" } } });
  await world.update<Pod>(pods, "foo-0", orphaned);
  await world.update<Pod>(pods, "foo-2", relabelled);
  await world.create(pods, stray("foo2-0"));
  await world.create(pods, stray("foo-01"));
  world.takeWrites();
  await world.start(controller);
  const patches = world.takeWrites().filter(({ verb }) => verb === "patch");
  expect(patches.map(lineOf).toSorted()).toEqual(["patch pods foo-0", "patch pods foo-2"]);
  expect((await world.get<Pod>(pods, "foo-0")).metadata.ownerReferences).toHaveLength(1);
  expect((await world.get<Pod>(pods, "foo-2")).metadata.ownerReferences ?? []).toEqual([]);
});

// upstream: stateful_set_test.go#TestStatefulSetControllerDeletionTimestamp, #…DeletionTimestampRace
test("a StatefulSet that is being deleted creates nothing and adopts nothing", async () => {
  await foo.create({ ...statefulSet("foo", 3), metadata: { name: "foo", finalizers: ["x.io/hold"] } });
  await world.create(resources.pods, stray("foo-1"));
  await world.delete(resources.statefulSets, "foo");
  await world.start(controller);
  await world.run();
  expect(await foo.names(resources.pods)).toEqual(["foo-1"]);
  expect((await world.get<Pod>(resources.pods, "foo-1")).metadata.ownerReferences ?? []).toEqual([]);
  expect((await foo.get()).status).toMatchObject({ replicas: 0, observedGeneration: 2 });
});

// upstream: stateful_set_test.go#TestStatefulSetControllerBlocksScaling
test("in turn, nothing goes on while a pod takes its time to end", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 3));
  await world.runWithKubelet();
  await world.update<Pod>(resources.pods, "foo-1", (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, finalizers: ["x.io/hold"] },
  }));
  await world.delete(resources.pods, "foo-1");
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas: 5 }));
  await world.runWithKubelet();
  expect(await foo.names(resources.pods)).toEqual(["foo-0", "foo-1", "foo-2"]);
  await world.update<Pod>(resources.pods, "foo-1", (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, finalizers: [] },
  }));
  await world.runWithKubelet();
  expect(await foo.names(resources.pods)).toHaveLength(5);
});

// A known sharp edge of the kind: nobody but a user ends what never becomes ready.
test("a broken update stops at the first pod that is not ready, and goes on when that is deleted", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 3));
  await world.runWithKubelet();
  const fateOf = (pod: Pod): "running" | "ready" =>
    pod.spec?.containers[0]?.image === "broken" ? "running" : "ready";
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "broken"));
  await world.runWithKubelet({ fateOf });
  expect(await foo.images()).toEqual(["nginx", "nginx", "broken"]);
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "fixed"));
  await world.runWithKubelet({ fateOf });
  expect(await foo.images()).toEqual(["nginx", "nginx", "broken"]);
  await world.delete(resources.pods, "foo-2");
  await world.runWithKubelet({ fateOf });
  expect(await foo.images()).toEqual(["fixed", "fixed", "fixed"]);
});

function stray(name: string): Pod {
  return { metadata: { name, labels: LABELS }, spec: { containers: [{ name: "c", image: "nginx" }] } };
}
