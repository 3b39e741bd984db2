import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { conflict, StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { settledCounts, StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, claimTemplate, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });
const KEEP = { whenDeleted: "Retain", whenScaled: "Retain" };
const GO = { whenDeleted: "Delete", whenScaled: "Delete" };

let world: ControllerWorld;
let foo: StatefulSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  foo = new StatefulSetInWorld(world);
});
afterEach(async () => world.stop());

// upstream: stateful_set_test.go#TestOrphanedPodsWithPVCDeletePolicy, #TestStaleOwnerRefOnScaleup
test("claims go with the StatefulSet or with what is scaled away, and no pod takes one that goes", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 2, { persistentVolumeClaimRetentionPolicy: KEEP }));
  await world.runWithKubelet();
  await foo.update({ persistentVolumeClaimRetentionPolicy: GO });
  const setRef = newControllerRef(asStored(await foo.get()), resources.statefulSets);
  expect(await foo.claimOwners()).toEqual([[setRef], [setRef]]);
  expect(await world.events()).toContain("SuccessfulUpdate Update Pod foo-0 in StatefulSet foo successful");

  // Scaled away, a claim goes with its pod; the garbage collector, which does not run here, would end it.
  const last = await world.get<Pod>(resources.pods, "foo-1");
  await foo.update({ replicas: 1 });
  expect(await foo.claimOwners()).toEqual([[setRef], [newControllerRef(asStored(last), resources.pods)]]);

  await foo.update({ replicas: 2 });
  expect(await foo.names(resources.pods)).toEqual(["foo-0"]);
  await world.delete(resources.persistentVolumeClaims, "datadir-foo-1");
  await world.run();
  expect(await foo.names(resources.pods)).toEqual(["foo-0", "foo-1"]);
});

// upstream: stateful_pod_control.go#UpdatePodClaimForRetentionPolicy
test("a claim that somebody else controls stays that one's, which the user is told, and the pod is made", async () => {
  const stranger = { apiVersion: "v1", kind: "Custom", name: "x", uid: "x", controller: true };
  await world.create(resources.persistentVolumeClaims, {
    metadata: { name: "datadir-foo-0", ownerReferences: [stranger] },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  });
  await world.start(controller);
  await foo.create(statefulSet("foo", 1, { persistentVolumeClaimRetentionPolicy: GO }));
  await world.runWithKubelet();
  expect(await foo.names(resources.pods)).toEqual(["foo-0"]);
  expect(await foo.claimOwners()).toEqual([[stranger]]);
  expect(await world.events()).toContain(
    "ConflictingController PersistentVolumeClaim datadir-foo-0 has a conflicting OwnerReference that acts as a " +
      "manging controller, the retention policy is ignored for this claim",
  );
});

// upstream: stateful_pod_control_test.go#TestStatefulPodControlCreatePodPVCDeleting
test("a claim that is being deleted holds its pod up, and the user is told", async () => {
  await world.create(resources.persistentVolumeClaims, {
    metadata: { name: "datadir-foo-0", finalizers: ["x.io/hold"] },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  });
  await world.delete(resources.persistentVolumeClaims, "datadir-foo-0");
  await world.start(controller);
  await foo.create(statefulSet("foo", 1));
  await world.run();
  expect(await foo.names(resources.pods)).toEqual([]);
  expect(await world.events()).toContain(
    "FailedCreate Create Pod foo-0 in StatefulSet foo failed error: pvc datadir-foo-0 is being deleted",
  );
});

// upstream: stateful_pod_control_test.go#TestStatefulPodControlCreatePodPvcCreateFailure, #…CreatePodFailed,
// #…DeleteFailure
test("what fails is told of, each in its own words", async () => {
  foo.failOnce("create", "persistentvolumeclaims");
  foo.failOnce("create", "pods");
  await world.start(controller);
  await foo.create(statefulSet("foo", 1));
  await world.runWithKubelet();
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas: 0 }));
  foo.failOnce("delete", "pods");
  await world.runWithKubelet();
  const events = await world.events();
  expect(events.toSorted()).toEqual(
    [
      "FailedCreate Create Claim datadir-foo-0 for Pod foo-0 in StatefulSet foo failed error: down",
      "FailedCreate Create Pod foo-0 in StatefulSet foo failed error: failed to create PVC datadir-foo-0: down",
      "SuccessfulCreate Create Claim datadir-foo-0 Pod foo-0 in StatefulSet foo success",
      "FailedCreate Create Pod foo-0 in StatefulSet foo failed error: down",
      "SuccessfulCreate Create Pod foo-0 in StatefulSet foo successful",
      "FailedDelete Delete Pod foo-0 in StatefulSet foo failed error: down",
      "SuccessfulDelete Delete Pod foo-0 in StatefulSet foo successful",
    ].toSorted(),
  );
});

test("a claim that cannot be made does not keep the pod's others from being made", async () => {
  foo.failOnce("create", "persistentvolumeclaims");
  await world.start(controller);
  await foo.create(
    statefulSet("foo", 1, { volumeClaimTemplates: ["a", "b"].map((name) => claimTemplate(name)) }),
  );
  await world.run(0);
  const writes = world.takeWrites().filter(({ resource }) => resource === "persistentvolumeclaims");
  const made = writes.map(({ body, status }) => `${(body as PersistentVolumeClaim).metadata.name} ${status}`);
  expect(made.slice(0, 2)).toEqual(["a-foo-0 500", "b-foo-0 201"]);
});

describe("claims that may not be given their owner", () => {
  const refused = "could not update claim datadir-foo-0 for delete policy ownerRefs: not so";
  const told = `FailedUpdate Update Pod foo-0 in StatefulSet foo failed error: ${refused}`;
  let recover: () => void;
  const refuse = (): void => {
    recover = world.server.parts.faults.add({
      target: { verb: "update", resource: "persistentvolumeclaims" },
      action: { kind: "status", when: "before", error: new StatusError(403, "Forbidden", "not so") },
    });
  };
  const claim = {
    metadata: { name: "datadir-foo-0" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  };

  // upstream: stateful_pod_control.go#CreateStatefulPod
  test("do not keep their pod from being made, and the user is told", async () => {
    await world.create(resources.persistentVolumeClaims, claim);
    refuse();
    await world.start(controller);
    await foo.create(statefulSet("foo", 1, { persistentVolumeClaimRetentionPolicy: GO }));
    await world.run();
    expect(await foo.names(resources.pods)).toEqual(["foo-0"]);
    expect(await world.events()).toEqual([
      "SuccessfulCreate Create Pod foo-0 in StatefulSet foo successful",
      told,
    ]);
    recover();
    await world.run(120_000);
    expect(await foo.claimOwners()).toEqual([
      [newControllerRef(asStored(await foo.get()), resources.statefulSets)],
    ]);
  });

  // upstream: stateful_pod_control.go#createMissingPersistentVolumeClaims
  test("are told of while their pod is pending, too", async () => {
    await world.start(controller);
    await foo.create(statefulSet("foo", 1));
    await world.run();
    refuse();
    await world.update(resources.statefulSets, "foo", (owner) =>
      changed(asStored(owner), { persistentVolumeClaimRetentionPolicy: GO }),
    );
    await world.run(0);
    expect(await world.events()).toContain(told);
  });

  test("are given it although the pod is refused; when both fail, both are told", async () => {
    await world.create(resources.persistentVolumeClaims, claim);
    foo.failOnce("create", "pods");
    refuse();
    await world.start(controller);
    await foo.create(statefulSet("foo", 1, { persistentVolumeClaimRetentionPolicy: GO }));
    await world.run(0);
    const noPod = "FailedCreate Create Pod foo-0 in StatefulSet foo failed error: down";
    expect((await world.events()).slice(0, 2)).toEqual([noPod, told]);
    recover();
    await world.delete(resources.pods, "foo-0");
    world.server.parts.faults.add({
      target: { verb: "create", resource: "pods" },
      action: { kind: "status", when: "before", error: new StatusError(403, "Forbidden", "quota") },
    });
    await world.runWithKubelet();
    expect(await foo.names(resources.pods)).toEqual([]);
    expect(await foo.claimOwners()).toEqual([
      [newControllerRef(asStored(await foo.get()), resources.statefulSets)],
    ]);
  });
});

test.each([
  ["controllerrevisions", []],
  ["persistentvolumeclaims", ["create controllerrevisions", "update statefulsets/status foo"]],
  ["pods", ["create controllerrevisions", "create persistentvolumeclaims", "update statefulsets/status foo"]],
])("in a namespace that is going away nothing is tried again, from %s on", async (resource, done) => {
  const details = { causes: [{ reason: "NamespaceTerminating", message: "it is being terminated" }] };
  const error = new StatusError(403, "Forbidden", "the namespace is being terminated", { details });
  world.server.parts.faults.add({
    target: { verb: "create", resource },
    action: { kind: "status", when: "before", error },
  });
  await foo.create(statefulSet("foo", 1));
  await world.start(controller);
  const writes = world.takeWrites();
  expect(writes.filter(({ status }) => status < 400).map(lineOf)).toEqual(done);
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
  const told = await world.events();
  expect(told.filter((event) => event.startsWith("Failed"))).toEqual([]);
});

test("a pod that was replaced under its name since it was looked at is not deleted", async () => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 1));
  await world.runWithKubelet();
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  const { metadata, spec } = await world.get<Pod>(resources.pods, "foo-0");
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: NAMESPACE, name: "foo-0" }, { gracePeriodSeconds: 0 });
  const { name = "", labels = {}, ownerReferences = [] } = metadata;
  await world.create<Pod>(resources.pods, {
    metadata: { name, labels, ownerReferences },
    spec: { containers: spec?.containers ?? [] },
  });
  const before = await foo.uids();
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
  world.takeWrites();
  await world.run(100);
  expect(world.takeWrites().map(lineOf)).toContain("delete pods foo-0");
  expect(await foo.uids()).toEqual(before);
  release();
});

// upstream: stateful_set_status_updater_test.go#TestStatefulSetStatusUpdaterUpdateReplicasConflict,
// stateful_pod_control_test.go#TestStatefulPodControlUpdatePodConflictSuccess
test.each([
  ["the status", "statefulsets"],
  ["a pod", "pods"],
])("%s is written on top of what somebody else has written meanwhile", async (_what, resource) => {
  await world.start(controller);
  await foo.create(statefulSet("foo", 1));
  await world.runWithKubelet();
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas: 2 }));
  const labels = { "statefulset.kubernetes.io/pod-name": "other" };
  await world.client
    .clientFor<Pod>(resources.pods)
    .patch({ namespace: NAMESPACE, name: "foo-0" }, { type: "merge", body: { metadata: { labels } } });
  world.server.parts.faults.add({
    target: { verb: "update", resource },
    times: 1,
    action: { kind: "status", when: "before", error: conflict({ group: "", plural: resource }, "foo") },
  });
  world.takeWrites();
  await world.run(0);
  const refused = world.takeWrites().filter(({ status }) => status === 409);
  expect(refused).toHaveLength(1);
  await world.runWithKubelet();
  expect((await foo.get()).status).toMatchObject(settledCounts(2));
  const { metadata } = await world.get<Pod>(resources.pods, "foo-0");
  expect(metadata.labels).toMatchObject({ "statefulset.kubernetes.io/pod-name": "foo-0" });
  expect((await world.events()).filter((event) => event.startsWith("Failed"))).toEqual([]);
});
