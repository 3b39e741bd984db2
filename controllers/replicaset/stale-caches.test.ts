import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { replicaSetController } from "./controller.ts";
import { LABELS, pod, replicaSet, sized } from "./samples.test-data.ts";

const controller = replicaSetController({ workers: 2 });

let world: ControllerWorld;
afterEach(async () => world.stop());

describe.each([true, false])("what a cache does not show yet (read-your-writes: %s)", (readsOwnWrites) => {
  beforeEach(async () => {
    world = await newWorld({ features: { StaleControllerConsistencyReplicaSet: readsOwnWrites } });
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestSyncReplicaSetDormancy, #TestControllerBurstReplicas,
  // #TestRSSyncExpectations
  test("is waited for: no pod is created twice, though the owner is looked at again", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await create(replicaSet("foobar", 5));
    await world.run();
    await world.update(resources.replicaSets, "foobar", (owner) => sized(owner, 7));
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(5);
    release();
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(7);
  });

  test("is waited for: no pod is deleted in place of one that goes", async () => {
    await create(replicaSet("foobar", 5));
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.update(resources.replicaSets, "foobar", (owner) => sized(owner, 3));
    await world.run();
    await world.update(resources.replicaSets, "foobar", (owner) => sized(owner, 2));
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(3);
    release();
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(2);
  });

  test("holds nothing up for long: a pod that someone else deletes is replaced", async () => {
    await world.start(controller);
    await create(replicaSet("foobar", 1));
    await world.run();
    const [made] = await world.list<Pod>(resources.pods);
    await world.delete(resources.pods, made?.metadata.name ?? "");
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(1);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestExpectationsOnRecreate
  test("of an owner that is gone does not hold up another of its name", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    const first = await create(replicaSet("foobar", 1));
    await world.run();
    expect(await world.list(resources.pods)).toHaveLength(1);
    await world.delete(resources.replicaSets, "foobar");
    await world.run();
    const second = await create(replicaSet("foobar", 1));
    await world.run();
    release();
    await world.run();
    const owners = (await world.list<Pod>(resources.pods)).map((each) => controllerOf(each)?.uid);
    expect(new Set(owners)).toEqual(new Set([first.metadata.uid, second.metadata.uid]));
  });

  test("of an owner that was replaced under its name in the middle of a sync does not hold up the second", async () => {
    await world.start(controller);
    const { metadata: _, ...loose } = pod("orphan");
    await world.create<Pod>(resources.pods, { ...loose, metadata: { name: "orphan", labels: LABELS } });
    let second: ReplicaSet | undefined;
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.replicaSets, "foobar");
          second = await create(replicaSet("foobar", 3));
          await sleep(world.clock, 100);
        },
      },
      times: 1,
    });
    await create(replicaSet("foobar", 3));
    await world.run(20_000);
    const pods = await world.list<Pod>(resources.pods);
    expect(pods.filter((each) => controllerOf(each)?.uid === second?.metadata.uid)).toHaveLength(3);
  });
});

describe("a watch of pods that is held up for 20 minutes", () => {
  beforeEach(async () => {
    world = await newWorld();
    await world.start(controller);
  });

  const eachMinute = async (check: () => Promise<void>): Promise<void> => {
    for (let minute = 0; minute < 20; minute++) {
      await world.run(60_000);
      await check();
    }
  };
  const lively = async (): Promise<readonly Pod[]> =>
    (await world.list<Pod>(resources.pods)).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );

  test("lets nobody have more pods than it asks for", async () => {
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await create(replicaSet("foobar", 6));
    await eachMinute(async () => expect((await lively()).length).toBeLessThanOrEqual(6));
    release();
    await world.run();
    expect(await lively()).toHaveLength(6);
  });

  test("lets nobody have fewer pods than it asks for", async () => {
    await create(replicaSet("foobar", 6));
    await world.run();
    // With ages that differ much now and little later, other pods would be chosen then.
    for (const [index, { metadata }] of (await lively()).entries()) {
      await world.markPod(metadata.name ?? "", "ready");
      await world.run(10_000 * 2 ** index);
    }
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.update(resources.replicaSets, "foobar", (owner) => sized(owner, 3));
    await eachMinute(async () => expect(await lively()).toHaveLength(3));
    release();
    await world.run();
    expect(await lively()).toHaveLength(3);
  });
});

async function create(owner: ReplicaSet): Promise<ReplicaSet> {
  const { uid: _, ...metadata } = owner.metadata;
  return world.create(resources.replicaSets, { ...owner, metadata });
}
