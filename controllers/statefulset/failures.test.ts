import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { conflict, internal, type StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf } from "../../test/harness/controller-world.ts";
import { settledCounts, StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { statefulSetController } from "./controller.ts";
import { LABELS, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });
const policies = ["OrderedReady", "Parallel"] as const;

let world: ControllerWorld;
let foo: StatefulSetInWorld;
/** What was told of failed syncs: "what happened: the error". */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
  foo = new StatefulSetInWorld(world);
  await world.start(controller);
});
afterEach(async () => world.stop());

/** Refuses what matches until it is told otherwise. */
function refuse(target: Readonly<Record<string, string>>, error: StatusError, times?: number): () => void {
  return world.server.parts.faults.add({
    target,
    action: { kind: "status", when: "before", error },
    ...(times !== undefined && { times }),
  });
}

describe.each(policies)("%s: a deletion that fails", (podManagementPolicy) => {
  // upstream: pkg/controller/statefulset/stateful_set_control_test.go#NewRevisionDeletePodFailure
  test("in the middle of an update leaves the counts as they are, and comes about later", async () => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    const recover = refuse({ verb: "delete", resource: "pods" }, internal("down"));
    await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
    await world.runWithKubelet();
    const { status } = await foo.get();
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 3 });
    expect(status?.updatedReplicas ?? 0).toBe(0);
    expect(status?.updateRevision).not.toBe(status?.currentRevision);
    expect(told).toContain("Sync failed, to be retried: down");

    recover();
    refuse({ verb: "create", resource: "pods" }, internal("down"));
    await world.run(120_000);
    expect((await foo.get()).status).toMatchObject({ currentReplicas: 2 });
  });

  // upstream: stateful_set_control_test.go#TestStatefulSetControlScaleDownDeleteError
  test("while it is scaled down is tried again", async () => {
    await foo.create(statefulSet("foo", 3, { podManagementPolicy }));
    await world.runWithKubelet();
    world.takeWrites();
    refuse({ verb: "delete", resource: "pods", name: "foo-1" }, internal("down"), 1);
    await foo.update({ replicas: 0 });
    expect(told).toEqual(["Sync failed, to be retried: down"]);
    expect(await foo.names(resources.pods)).toEqual([]);
    expect((await foo.get()).status).toMatchObject(settledCounts(0));
  });
});

// upstream: stateful_set_control_test.go#TestStatefulSetStatusUpdate
test.each<[string, boolean, boolean, readonly string[]]>([
  ["nothing fails", false, false, []],
  ["a pod cannot be created", true, false, ["Sync failed, to be retried: no pod"]],
  ["the status cannot be written", false, true, ["Sync failed, to be retried: no status"]],
  ["neither can: both are told", true, true, ["Sync failed, to be retried: [no pod, no status]"]],
])("the status is written when %s", async (_case, podFails, statusFails, failures) => {
  if (podFails) refuse({ verb: "create", resource: "pods" }, internal("no pod"), 1);
  const status = { verb: "update", resource: "statefulsets", subresource: "status" };
  if (statusFails) refuse(status, internal("no status"), 1);
  await foo.create(statefulSet("foo", 1));
  await world.run();
  expect(told).toEqual(failures);
  const written = world.takeWrites().map((write) => `${lineOf(write)} ${write.status}`);
  const first = written.find((line) => line.startsWith("update statefulsets/status"));
  expect(first).toBe(`update statefulsets/status foo ${statusFails ? 500 : 200}`);
  expect((await foo.get()).status).toMatchObject({ observedGeneration: 1 });
});

// upstream: pkg/controller/statefulset/stateful_set_control.go#UpdateStatefulSet
// upstream: stateful_set.go#sync
test("a selector that cannot be read ends nothing, is told of once, and is not tried again until it can be", async () => {
  await world.stop();
  const selector = { matchExpressions: [{ key: "foo", operator: "Like" }] };
  world.keep(resources.statefulSets, statefulSet("foo", 1, { selector }));
  await world.create<Pod>(resources.pods, {
    metadata: { name: "foo-0", labels: LABELS },
    spec: { containers: [{ name: "nginx", image: "nginx" }] },
  });
  await world.start(controller);
  await world.run(60_000);
  expect(world.takeWrites()).toEqual([]);
  expect(told).toEqual([expect.stringMatching(/^The selector cannot be read: .*Like/)]);
});

test("an old revision that stays is told beside what failed before it", async () => {
  await foo.create(statefulSet("foo", 1, { revisionHistoryLimit: 0 }));
  await world.runWithKubelet();
  refuse({ verb: "delete", resource: "controllerrevisions" }, internal("no end"));
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
  await world.runWithKubelet();
  expect(told).toContain("Sync failed, to be retried: no end");
  const recover = refuse({ verb: "create", resource: "pods" }, internal("no pod"));
  await foo.update({ replicas: 2 });
  expect(told.at(-1)).toBe("Sync failed, to be retried: [no pod, no end]");
  recover();
  await foo.update({ replicas: 3 });
  expect(await foo.names(resources.pods)).toHaveLength(3);
});

// upstream: the same deletes what no pod has, also when it cannot tell which revision is the current one.
test("while it is not known which revisions are in use, none goes", async () => {
  const updateStrategy = { type: "OnDelete" };
  await foo.create(statefulSet("foo", 1, { revisionHistoryLimit: 0, updateStrategy }));
  await world.runWithKubelet();
  const before = await foo.names(resources.controllerRevisions);
  refuse({ verb: "create", resource: "controllerrevisions" }, internal("no revision"));
  await world.update(resources.statefulSets, "foo", (owner) => withImage(asStored(owner), "foo"));
  await world.delete(resources.pods, "foo-0");
  await world.runWithKubelet();
  expect(told).toContain("Sync failed, to be retried: no revision");
  expect(await foo.names(resources.controllerRevisions)).toEqual(before);
});

// upstream: stateful_set_status_updater_test.go#TestStatefulSetStatusUpdaterUpdateReplicasConflictFailure
test("a status that meets conflicts without end is given up, to be tried again later", async () => {
  const error = conflict({ group: "apps", plural: "statefulsets" }, "foo");
  const recover = refuse({ verb: "update", resource: "statefulsets", subresource: "status" }, error);
  await foo.create(statefulSet("foo", 0));
  await world.run(0);
  expect(world.takeWrites().filter((write) => write.status === 409)).toHaveLength(5);
  expect(told).toEqual([`Sync failed, to be retried: ${error.message}`]);
  recover();
  await world.run();
  expect((await foo.get()).status).toMatchObject({ observedGeneration: 1 });
});

// upstream: stateful_pod_control_test.go#TestStatefulPodControlUpdatePodStorageFailure. What fails after that is the
// update itself: a server does not let a pod's volumes be changed.
test("a pod without its volumes is not mended, and that is told", async () => {
  await foo.create(statefulSet("foo", 1, { podManagementPolicy: "Parallel" }));
  await world.runWithKubelet();
  await world.stop();
  const owner = newControllerRef(asStored(await foo.get()), resources.statefulSets);
  const { metadata } = await world.get<Pod>(resources.pods, "foo-0");
  for (const [resource, name] of [
    [resources.pods, "foo-0"],
    [resources.persistentVolumeClaims, "datadir-foo-0"],
  ] as const)
    await world.delete(resource, name);
  await world.runWithKubelet();
  await world.create<Pod>(resources.pods, {
    metadata: { name: "foo-0", labels: { ...LABELS, ...metadata.labels }, ownerReferences: [owner] },
    spec: { containers: [{ name: "nginx", image: "nginx" }] },
  });
  await world.markPod("foo-0", "ready");
  const before = new Set(await world.events());

  const recover = refuse({ verb: "create", resource: "persistentvolumeclaims" }, internal("down"));
  await world.start(controller);
  const events = (await world.events()).filter((event) => !before.has(event));
  expect(events).toEqual([
    "FailedCreate Create Claim datadir-foo-0 for Pod foo-0 in StatefulSet foo failed error: down",
    "FailedUpdate Update Pod foo-0 in StatefulSet foo failed error: failed to create PVC datadir-foo-0: down",
  ]);
  recover();
  await world.run(120_000);
  expect(await foo.names(resources.persistentVolumeClaims)).toEqual(["datadir-foo-0"]);
  expect(await world.events()).toContainEqual(
    expect.stringMatching(/^FailedUpdate .*pod updates may not change fields other than/),
  );
});
