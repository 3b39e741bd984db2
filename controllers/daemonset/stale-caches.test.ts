import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { EXPECTATIONS_TIMEOUT_MS } from "../../pkg/controller/expectations.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { DaemonSetInWorld } from "../../test/harness/daemon-set-in-world.ts";
import { daemonSetController } from "./controller.ts";
import { unavailable } from "./samples.test-data.ts";

const controller = daemonSetController({ workers: 2 });

const SKETCH = { strategy: unavailable(2) };

let world: ControllerWorld;
let it: DaemonSetInWorld;
afterEach(async () => world.stop());

describe.each([true, false])("what a cache does not show yet (read-your-writes: %s)", (readsOwnWrites) => {
  beforeEach(async () => {
    world = await newWorld({ features: { StaleControllerConsistencyDaemonSet: readsOwnWrites } });
    it = new DaemonSetInWorld(world);
  });

  test("is waited for: no pod is created twice, though the DaemonSet is looked at again", async () => {
    await it.addNodes(2);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await it.create(SKETCH);
    await world.run();
    await it.addNodes(1, 2);
    await world.run();
    expect(await it.pods()).toHaveLength(2);
    release();
    await world.run();
    expect(await it.pods()).toHaveLength(3);
  });

  test("is waited for: no more pods are deleted than may be unavailable", async () => {
    await it.addNodes(6);
    await it.create(SKETCH);
    await world.start(controller);
    await world.runWithKubelet();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    for (const image of ["two", "three"]) {
      await it.setImage(image);
      await world.run();
    }
    expect(await it.pods()).toHaveLength(4);
    release();
    await world.runWithKubelet();
    expect(await it.images()).toEqual(Array.from({ length: 6 }, () => "three"));
  });

  test("is asked for: a revision that is there already is not made again under another name", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "controllerrevisions" });
    await it.create(SKETCH);
    await world.run();
    await it.addNodes(1);
    await world.run();
    release();
    await world.run();
    expect(await world.list(resources.controllerRevisions)).toHaveLength(1);
    expect(await it.pods()).toHaveLength(1);
    expect((await it.status())?.collisionCount).toBeUndefined();
  });

  test("because it came and went unseen is missed at the latest when waiting for it times out", async () => {
    await it.addNodes(1);
    await world.start(controller);
    const { faults, store } = world.server.parts;
    const release = faults.holdWatches({ resource: "pods" });
    await it.create(SKETCH);
    await world.run();
    const [first] = await it.pods();
    await world.delete(resources.pods, first?.metadata.name ?? "");
    store.compact();
    faults.dropWatches({ resource: "pods" });
    release();
    await world.run(EXPECTATIONS_TIMEOUT_MS + 60_000);
    const [second] = await it.pods();
    expect(second).toBeDefined();
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestExpectationsOnRecreate
  test("of a DaemonSet that is gone does not hold up another of its name", async () => {
    await it.addNodes(1);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    const first = await it.create(SKETCH);
    await world.run();
    expect(await it.pods()).toHaveLength(1);
    await world.delete(resources.daemonSets, "foo");
    await world.run();
    const second = await it.create(SKETCH);
    await world.run();
    release();
    await world.run();
    const owners = (await it.pods()).map((each) => controllerOf(each)?.uid);
    expect(new Set(owners)).toEqual(new Set([first.metadata.uid, second.metadata.uid]));
  });
});

describe("a DaemonSet that was made anew under its name", () => {
  beforeEach(async () => {
    world = await newWorld();
    it = new DaemonSetInWorld(world);
    await it.addNodes(3);
    await world.start(controller);
  });

  test.each([
    ["while its pods are made", "pods", 5_000],
    ["in the middle of a sync", "controllerrevisions", 20_000],
  ])("%s gets its own at once", async (_, resource, withinMs) => {
    let second: DaemonSet | undefined;
    world.server.parts.faults.add({
      target: { verb: "create", resource },
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.daemonSets, "foo");
          second = await it.create(SKETCH);
          await sleep(world.clock, 100);
        },
      },
      times: 1,
    });
    await it.create(SKETCH);
    await world.run(withinMs);
    const own = (await it.pods()).filter((pod) => controllerOf(pod)?.uid === second?.metadata.uid);
    expect(own).toHaveLength(3);
  });

  test("does not get the counts of the one that is gone", async () => {
    await it.create(SKETCH);
    await world.runWithKubelet();
    expect(await it.status()).toMatchObject({ numberReady: 3 });
    const release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
    await world.delete(resources.daemonSets, "foo");
    await it.create(SKETCH);
    const before = await it.status();
    world.takeWrites();
    const [first] = await it.pods();
    await world.markPod(first?.metadata.name ?? "", "running");
    await world.run(100);
    expect(await it.status()).toEqual(before);
    const statuses = world.takeWrites().filter(({ resource }) => resource === "daemonsets/status");
    expect(statuses.map(({ status }) => status)).toEqual([409]);
    release();
    await world.runWithKubelet();
    expect(await it.status()).toMatchObject({ currentNumberScheduled: 3, numberReady: 3 });
  });

  test("does not count a collision of the one that is gone", async () => {
    await it.create(SKETCH);
    await world.runWithKubelet();
    const release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
    await world.delete(resources.daemonSets, "foo");
    await it.create(SKETCH);
    const [{ metadata: { name = "" } } = { metadata: {} }] = await it.revisions();
    await world.delete(resources.controllerRevisions, name);
    await world.create(resources.controllerRevisions, { metadata: { name }, data: {}, revision: 1 });
    await world.run(100);
    const refused = world.takeWrites().filter(({ status }) => status === 409);
    expect(refused.map(({ resource }) => resource)).toContain("controllerrevisions");
    expect((await it.status())?.collisionCount).toBeUndefined();
    release();
  });
});
