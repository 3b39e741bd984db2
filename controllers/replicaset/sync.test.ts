import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf, newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { EXPECTATIONS_TIMEOUT_MS } from "../../pkg/controller/expectations.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import type { Write } from "../../pkg/testing/recorded-transport.ts";
import { replicaSetController, replicationController as replicationControllers } from "./controller.ts";
import { held, pod, replicaSet, replicationController, sized } from "./samples.test-data.ts";

const controller = replicaSetController({ workers: 2 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("pods", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestSyncReplicaSetDoesNothing
  test("as many as desired: nothing is done but to tell", async () => {
    const owner = await create(replicaSet("foobar", 2));
    await createPods(owner, 2);
    await world.start(controller);
    expect(linesOf(world.takeWrites())).toEqual(["update replicasets/status foobar"]);
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestWatchPods
  test("that fail are replaced, and stay", async () => {
    await create(replicaSet("foobar", 1));
    await world.start(controller);
    const [first] = await world.list<Pod>(resources.pods);
    await world.markPod(first?.metadata.name ?? "", "failed");
    await world.run();
    const phases = (await world.list<Pod>(resources.pods)).map(({ status }) => status?.phase);
    expect(new Set(phases)).toEqual(new Set(["Failed", "Pending"]));
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestSyncReplicaSetCreateFailures
  test("that a quota refuses are not asked for all at once", async () => {
    world.allowPods(10);
    await create(replicaSet("foobar", 100));
    await world.start(controller);
    // 1 + 2 + 4 + 8: the fourth batch is refused in part, and no fifth is begun before the next sync.
    const creates = world
      .takeWrites()
      .filter(({ resource, verb }) => resource === "pods" && verb === "create");
    const refusedFirst = creates.findIndex(({ status }) => status === 403);
    expect(
      creates
        .slice(0, 15)
        .map(({ status }) => status)
        .filter((status) => status === 201),
    ).toHaveLength(10);
    expect(refusedFirst).toBeLessThan(15);
    // Every later sync begins with one try again.
    expect(creates.slice(15).length).toBeLessThan(20);
    const status = (await world.get(resources.replicaSets, "foobar")).status;
    expect(status?.conditions?.[0]).toMatchObject({ type: "ReplicaFailure", reason: "FailedCreate" });
    expect(status?.conditions?.[0]?.message).toContain("exceeded quota");
  });

  test("that came and went unseen, between two lists, are missed at the latest when waiting for them times out", async () => {
    await world.start(controller);
    const { faults, store } = world.server.parts;
    const release = faults.holdWatches({ resource: "pods" });
    await create(replicaSet("foobar", 1));
    await world.run();
    const [first] = await world.list<Pod>(resources.pods);
    await world.delete(resources.pods, first?.metadata.name ?? "");
    store.compact();
    faults.dropWatches({ resource: "pods" });
    release();
    await world.run(EXPECTATIONS_TIMEOUT_MS + 60_000);
    const [second] = await world.list<Pod>(resources.pods);
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(second).toBeDefined();
  });

  test("come in bursts of 500, of which each waits to be seen", async () => {
    await create(replicaSet("foobar", 1_100));
    await world.start(controller);
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(1_100);
  });

  test("that could not be created are created later, although nothing else happens", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "pods" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await create(replicaSet("foobar", 2));
    await world.start(controller);
    expect(await world.list(resources.pods)).toEqual([]);
    repair();
    await world.run(60_000);
    expect(await world.list(resources.pods)).toHaveLength(2);
    expect((await world.get(resources.replicaSets, "foobar")).status?.conditions).toBeUndefined();
  });

  test("that could not be deleted are deleted soon, not when expectations have expired", async () => {
    await create(replicaSet("foobar", 2));
    await world.start(controller);
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "pods" },
      times: 1,
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.update(resources.replicaSets, "foobar", (owner) => sized(owner, 0));
    await world.run(5_000);
    expect(await world.list(resources.pods)).toEqual([]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestDoNotPatchPodWithOtherControlRef
  test("of another owner are left alone", async () => {
    const other = await create(replicaSet("other", 1));
    const theirs = await world.create(resources.pods, owned("theirs", other));
    await create(replicaSet("foobar", 2));
    await world.start(controller);
    expect(await world.list(resources.pods)).toHaveLength(3);
    expect((await world.get(resources.pods, "theirs")).metadata.ownerReferences).toEqual(
      theirs.metadata.ownerReferences,
    );
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestPatchPodFails
  test("that could not be adopted are tried again, and not replaced", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: { kind: "status", when: "before", error: internal("fake error") },
    });
    await create(replicaSet("foobar", 2));
    for (const name of ["pod1", "pod2"]) await world.create(resources.pods, pod(name));
    await world.start(controller);
    const tried = linesOf(world.takeWrites());
    expect(tried.slice(0, 2)).toEqual(["patch pods pod1", "patch pods pod2"]);
    expect(tried.length).toBeGreaterThan(2);
    expect(tried.filter((line) => line === "create pods")).toEqual([]);
    repair();
    await world.run(10_000);
    const managers = (await world.list<Pod>(resources.pods)).map((each) => controllerOf(each)?.name);
    expect(managers).toEqual(["foobar", "foobar"]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestDoNotAdoptOrCreateIfBeingDeleted
  test("are neither adopted nor created for an owner that is being deleted", async () => {
    await create(held(replicaSet("foobar", 2)));
    await world.create(resources.pods, pod("pod1"));
    await world.delete(resources.replicaSets, "foobar");
    await world.start(controller);
    expect(linesOf(world.takeWrites())).toEqual(["update replicasets/status foobar"]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestDoNotAdoptOrCreateIfBeingDeletedRace
  test("are not adopted for an owner that only the server knows to be going", async () => {
    await create(held(replicaSet("foobar", 0)));
    await world.start(controller);
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    await world.delete(resources.replicaSets, "foobar");
    await world.create(resources.pods, pod("pod1"));
    await world.run();
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run();
    expect((await world.get(resources.pods, "pod1")).metadata.ownerReferences).toBeUndefined();
  });
});

describe("which pods go when the owner shrinks", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestGetReplicaSetsWithSameController and
  // #TestRelatedPodsLookup: whose pods make a node crowded.
  test.each<[string, string, boolean, string]>([
    ["the one beside a pod of a related owner", "related", false, "alone"],
    ["the one beside a pod of a related owner that is going", "related", true, "alone"],
    ["the younger one, when the neighbour is a stranger's", "stranger", false, "beside"],
  ])("%s", async (_, neighbour, going, stays) => {
    const references = (name: string) => [
      { apiVersion: "apps/v1", kind: "Deployment", name, uid: `${name}-uid`, controller: true },
    ];
    const owner = await create({
      ...replicaSet("foobar", 2),
      metadata: { name: "foobar", ownerReferences: references("manager") },
    });
    const other = replicaSet("neighbour", 1, { foo: "baz" });
    const manager = neighbour === "related" ? "manager" : "stranger";
    const next = await create(
      held({ ...other, metadata: { name: "neighbour", ownerReferences: references(manager) } }),
    );
    await world.create(resources.pods, onNode(owned("neighbours", next, { foo: "baz" }), "node-1"));
    await world.create(resources.pods, onNode(owned("beside", owner), "node-1"));
    await world.run(60_000);
    await world.create(resources.pods, onNode(owned("alone", owner), "node-2"));
    for (const name of ["neighbours", "beside", "alone"]) await world.markPod(name, "ready");
    if (going) await world.delete(resources.replicaSets, "neighbour");
    await world.start(controller);
    await world.update(resources.replicaSets, "foobar", (each) => sized(each, 1));
    await world.run();
    const left = (await world.list<Pod>(resources.pods, "foo=bar")).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(left.map(({ metadata }) => metadata.name)).toEqual([stays]);
  });
});

describe("the status", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestControllerUpdateRequeue
  test("that cannot be written is written later", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "replicasets", subresource: "status" },
      action: { kind: "status", when: "before", error: internal("failed to update status") },
    });
    const owner = await create(replicaSet("foobar", 1));
    await createPods(owner, 1);
    await world.start(controller);
    expect((await world.get(resources.replicaSets, "foobar")).status?.replicas ?? 0).toBe(0);
    repair();
    await world.run(10_000);
    expect((await world.get(resources.replicaSets, "foobar")).status?.replicas).toBe(1);
  });

  test("waits for the last one to show, so that none is refused", async () => {
    const owner = await create(replicaSet("foobar", 3));
    await createPods(owner, 3);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    for (const name of ["pod-0", "pod-1", "pod-2"]) {
      await world.markPod(name, "ready");
      await world.run();
    }
    release();
    await world.run();
    expect((await world.get(resources.replicaSets, "foobar")).status?.readyReplicas).toBe(3);
    expect(world.takeWrites().filter(({ status }) => status >= 300)).toEqual([]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestControllerUpdateStatusWithFailure
  test("that is refused is tried a second time on what the server has, and then with the next sync", async () => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "replicasets", subresource: "status" },
      times: 2,
      action: { kind: "status", when: "before", error: internal("fake error") },
    });
    await create(replicaSet("foobar", 0));
    await world.start(controller);
    const writes = linesOf(world.takeWrites());
    expect(writes).toEqual(Array.from({ length: 3 }, () => "update replicasets/status foobar"));
  });

  test("of an owner is not given to another one that has taken its name", async () => {
    const first = await create(replicaSet("foobar", 2));
    await createPods(first, 2);
    world.server.parts.faults.add({
      target: { verb: "update", resource: "replicasets", subresource: "status" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.replicaSets, "foobar");
          await create(replicaSet("foobar", 0));
        },
      },
    });
    await world.start(controller);
    const given = world
      .takeWrites()
      .map(({ status, body }) => [status, (body as ReplicaSet).status?.replicas]);
    expect(given[0]).toEqual([409, 2]);
    expect(given.slice(1)).toEqual([[200, 0]]);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestReplicaSetAvailabilityCheck
  test("follows when pods become available by time alone", async () => {
    const base = replicaSet("foobar", 4);
    const owner = await create({
      ...base,
      spec: { selector: {}, ...base.spec, minReadySeconds: 5 },
    });
    await createPods(owner, 4);
    await world.start(controller);
    for (const name of ["pod-0", "pod-1"]) await world.markPod(name, "ready");
    await world.run(2_000);
    await world.markPod("pod-2", "ready");
    await world.run(1_000);
    const shown = async (): Promise<string> => {
      const { status } = await world.get(resources.replicaSets, "foobar");
      return `${status?.readyReplicas ?? 0} ${status?.availableReplicas ?? 0}`;
    };
    expect(await shown()).toBe("3 0");
    await world.run(3_000);
    expect(await shown()).toBe("3 2");
    await world.run(2_000);
    expect(await shown()).toBe("3 3");
  });
});

test("a ReplicationController keeps its pods in the same way, under its own name", async () => {
  await world.start(replicationControllers({ workers: 1 }));
  await world.create(resources.replicationControllers, replicationController("rc", 2));
  await world.runWithKubelet();
  const pods = await world.list<Pod>(resources.pods);
  expect(pods.map((each) => controllerOf(each)?.kind)).toEqual([
    "ReplicationController",
    "ReplicationController",
  ]);
  const { status } = await world.get(resources.replicationControllers, "rc");
  expect(status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  const actors = new Set(world.takeWrites().map(({ actor }) => actor));
  expect([...actors]).toEqual(["replication-controller"]);
  expect((await world.events())[0]).toMatch(/^SuccessfulCreate Created pod: rc-/);
});

async function create(owner: ReplicaSet): Promise<ReplicaSet> {
  const { uid: _, ...metadata } = owner.metadata;
  return world.create(resources.replicaSets, { ...owner, metadata });
}

async function createPods(owner: ReplicaSet, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await world.create(resources.pods, owned(`pod-${index}`, owner));
    await world.markPod(`pod-${index}`, "running");
  }
}

function owned(name: string, owner: ReplicaSet, labels?: Readonly<Record<string, string>>): Pod {
  const made = pod(name, undefined, labels);
  const ownerReferences = [newControllerRef(asStored(owner), resources.replicaSets)];
  return { ...made, metadata: { ...made.metadata, ownerReferences } };
}

function onNode(made: Pod, nodeName: string): Pod {
  return { ...made, spec: { containers: [], ...made.spec, nodeName } };
}

function linesOf(writes: readonly Write[]): readonly string[] {
  return writes.map(lineOf);
}
