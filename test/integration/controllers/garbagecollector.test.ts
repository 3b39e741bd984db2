import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Resource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { DeleteOptions } from "../../../pkg/client/resource-client.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { namesOf, owned, refTo } from "./owned.ts";
import { pod, replicationController } from "./workloads.ts";

const { pods, replicationControllers, configMaps, secrets } = resources;
/** 30 s between two looks at what the server serves become 1.5 s. */
const clock = new HurriedClock(realClock, 20);
const collector = garbageCollectorController({ workers: 5 });
const HELD = ["x/y"];
/** Long enough for the garbage collector to do what it must not do. */
const A_WHILE_MS = 2_000;

// Names of upstream's functions (test/integration/garbagecollector) stand in front of each case.
describe.each(clusterKinds)("the garbage collector on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([collector], { clock });
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test("CascadingDeletion: what has lost all its owners goes, and nothing else", async () => {
    const gone = await createOwner("gone");
    const remaining = await createOwner("remaining");
    await createPod("collected", [refTo(replicationControllers, gone)]);
    await createPod("kept", [refTo(replicationControllers, gone), refTo(replicationControllers, remaining)]);
    await createPod("independent");
    await remove(replicationControllers, "gone", { propagationPolicy: "Background" });
    await untilNames(pods, ["independent", "kept"]);
    await space.until(
      "the owner that is gone is struck off",
      async () => ownersOf("kept"),
      (names) => names.length === 1,
    );
    expect(await ownersOf("kept")).toEqual(["remaining"]);
  });

  test("CreateWithNonExistentOwner: it goes", async () => {
    await createPod("pod", [refTo(replicationControllers, { metadata: { name: "none", uid: "none" } })]);
    await untilNames(pods, []);
  });

  test("StressingCascadingDeletion: each policy, by options and by finalizers, ten times at once", async () => {
    const orphanFinalizer = ["orphan"];
    const groups: readonly (readonly [string, readonly string[], DeleteOptions, boolean])[] = [
      ["plain", [], {}, true],
      ["finalizer", orphanFinalizer, {}, true],
      ["overruled", orphanFinalizer, { propagationPolicy: "Background" }, false],
      ["orphan", [], { propagationPolicy: "Orphan" }, true],
      ["foreground", [], { propagationPolicy: "Foreground" }, false],
    ];
    const expected: string[] = [];
    await Promise.all(
      groups.flatMap(([group, finalizers, , stays]) =>
        Array.from({ length: 10 }, async (_, index) => {
          const name = `${group}-${index}`;
          const owner = await createOwner(name, finalizers);
          for (const suffix of ["a", "b", "c"]) {
            await createPod(`${name}-${suffix}`, [
              refTo(replicationControllers, owner, { blockOwnerDeletion: true }),
            ]);
            if (stays) expected.push(`${name}-${suffix}`);
          }
        }),
      ),
    );
    // A dependent that is not known when its owner is deleted cannot be made an orphan.
    await untilWatched();
    await Promise.all(
      groups.flatMap(([group, , options]) =>
        Array.from({ length: 10 }, async (_, index) =>
          remove(replicationControllers, `${group}-${index}`, options),
        ),
      ),
    );
    await untilNames(replicationControllers, []);
    await untilNames(pods, expected.toSorted());
    for (const { metadata } of await space.pods()) expect(metadata.ownerReferences).toBeUndefined();
  });

  test("Orphaning: the dependents stay, without their owner", async () => {
    const owner = await createOwner("owner");
    for (const name of ["a", "b", "c"]) await createPod(name, [refTo(replicationControllers, owner)]);
    await untilWatched();
    await remove(replicationControllers, "owner", { propagationPolicy: "Orphan" });
    await untilNames(replicationControllers, []);
    await space.never("a pod goes", A_WHILE_MS, async () => (await space.pods()).length !== 3);
    for (const { metadata } of await space.pods()) expect(metadata.ownerReferences).toBeUndefined();
  });

  test("SolidOwnerDoesNotBlockWaitingOwner: a dependent that stays holds nobody up", async () => {
    const gone = await createOwner("gone");
    const remaining = await createOwner("remaining");
    await createPod("pod", [
      refTo(replicationControllers, gone, { blockOwnerDeletion: true }),
      refTo(replicationControllers, remaining),
    ]);
    await remove(replicationControllers, "gone", { propagationPolicy: "Foreground" });
    await untilNames(replicationControllers, ["remaining"]);
    expect(await ownersOf("pod")).toEqual(["remaining"]);
  });

  test("NonBlockingOwnerRefDoesNotBlock: owners wait for those only that ask for it", async () => {
    const owner = await createOwner("owner");
    await createPod("one", [refTo(replicationControllers, owner)], HELD);
    await createPod("two", [refTo(replicationControllers, owner, { blockOwnerDeletion: false })], HELD);
    await remove(replicationControllers, "owner", { propagationPolicy: "Foreground" });
    await untilNames(replicationControllers, []);
    expect(namesOf(await space.pods())).toEqual(["one", "two"]);
    await release("one");
    await release("two");
    await untilNames(pods, []);
  });

  test("DoubleDeletionWithFinalizer: deleted again in the foreground, only others' finalizers are left", async () => {
    await createPod("pod", [], HELD);
    for (const time of ["the first time", "again"]) {
      await remove(pods, "pod", { propagationPolicy: "Foreground" });
      await space.until(
        `the garbage collector's finalizer is gone ${time}`,
        async () => (await space.get<ApiObject>(pods, "pod")).metadata.finalizers,
        (finalizers) => JSON.stringify(finalizers) === JSON.stringify(HELD),
      );
    }
    await release("pod");
    await untilNames(pods, []);
  });

  test("BlockingOwnerRefDoesBlock: the owner waits as long as that takes", async () => {
    const owner = await createOwner("owner");
    const blocking = refTo(replicationControllers, owner, { blockOwnerDeletion: true });
    await createPod("pod", [blocking], HELD);
    await untilWatched();
    await remove(replicationControllers, "owner", { propagationPolicy: "Foreground" });
    await space.never(
      "the owner goes",
      A_WHILE_MS,
      async () => (await space.list(replicationControllers)).length === 0,
    );
    expect(namesOf(await space.pods())).toEqual(["pod"]);
    await release("pod");
    await untilNames(replicationControllers, []);
  });

  test("ClusterScopedOwners: found without a namespace; kinds that nobody knows are not taken for gone", async () => {
    const role = await cluster.client
      .clientFor<ApiObject>(resources.clusterRoles)
      .create({ metadata: { generateName: "owner-" } });
    const missing = { metadata: { name: "missing", uid: "missing" } };
    const unknown = { ...resources.clusterRoles, group: "unknown.group", kind: "UnknownType" };
    await space.create(configMaps, owned("valid", refTo(resources.clusterRoles, role)));
    await space.create(configMaps, owned("missing", refTo(resources.persistentVolumes, missing)));
    await space.create(configMaps, owned("unknown", refTo(unknown, missing)));
    await untilNames(configMaps, ["unknown", "valid"]);
    await space.never("more go", A_WHILE_MS, async () => (await space.list(configMaps)).length < 2);
  });

  test("two owners that own each other go together when nobody else owns them", async () => {
    const one = await space.create(configMaps, owned("one"));
    const two = await space.create(configMaps, owned("two", blocking(one)));
    await space.patch(configMaps, "one", { metadata: { ownerReferences: [blocking(two)] } });
    await untilWatched();
    await remove(configMaps, "one", { propagationPolicy: "Foreground" });
    await untilNames(configMaps, []);
  });

  function blocking(owner: ApiObject): ReturnType<typeof refTo> {
    return refTo(configMaps, owner, { blockOwnerDeletion: true });
  }

  async function createOwner(name: string, finalizers: readonly string[] = []): Promise<ApiObject> {
    const owner = replicationController(name, 0);
    return space.create(replicationControllers, { ...owner, metadata: { ...owner.metadata, finalizers } });
  }

  async function createPod(
    name: string,
    ownerReferences: readonly ReturnType<typeof refTo>[] = [],
    finalizers: readonly string[] = [],
  ): Promise<void> {
    const made = pod(name);
    await space.create(pods, { ...made, metadata: { ...made.metadata, ownerReferences, finalizers } });
  }

  async function remove(resource: Resource, name: string, options: DeleteOptions): Promise<void> {
    await cluster.client.dynamic(resource).delete({ namespace: space.namespace, name }, options);
  }

  async function release(name: string): Promise<void> {
    await space.patch(pods, name, { metadata: { finalizers: null } });
  }

  async function untilNames(resource: Resource, expected: readonly string[]): Promise<void> {
    await space.until(
      `the ${resource.plural} are ${expected.length} in number`,
      async () => namesOf(await space.list<ApiObject>(resource)),
      (names) => JSON.stringify(names) === JSON.stringify(expected),
    );
  }

  async function ownersOf(name: string): Promise<readonly string[]> {
    const { metadata } = await space.get<ApiObject>(pods, name);
    return (metadata.ownerReferences ?? []).map((owner) => owner.name);
  }

  /** By then everything that was created before is in the graph, if it is of the same kind as this. */
  async function untilWatched(): Promise<void> {
    const none = { metadata: { name: "none", uid: "none" } };
    await createPod("probe", [refTo(configMaps, none)]);
    await space.create(secrets, owned("probe", refTo(configMaps, none)));
    await space.until(
      "the garbage collector has seen all that there was",
      async () => [await space.find(pods, "probe"), await space.find(secrets, "probe")],
      (seen) => seen.every((object) => object === undefined),
    );
  }
});
