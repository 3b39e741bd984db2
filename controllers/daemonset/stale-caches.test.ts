import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { EXPECTATIONS_TIMEOUT_MS } from "../../pkg/reconcile/expectations.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { daemonSetController } from "./controller.ts";
import { daemonSet, nodes, unavailable } from "./samples.test-data.ts";

const controller = daemonSetController({ workers: 2 });

let world: ControllerWorld;
afterEach(async () => world.stop());

describe.each([true, false])("what a cache does not show yet (read-your-writes: %s)", (readsOwnWrites) => {
  beforeEach(async () => {
    world = await newWorld({ features: { StaleControllerConsistencyDaemonSet: readsOwnWrites } });
  });

  test("is waited for: no pod is created twice, though the DaemonSet is looked at again", async () => {
    await addNodes(0, 2);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await create();
    await world.run();
    await addNodes(2, 1);
    await world.run();
    expect(await pods()).toHaveLength(2);
    release();
    await world.run();
    expect(await pods()).toHaveLength(3);
  });

  test("is waited for: no more pods are deleted than may be unavailable", async () => {
    await addNodes(0, 6);
    await create();
    await world.start(controller);
    await world.runWithKubelet();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    for (const image of ["two", "three"]) {
      await setImage(image);
      await world.run();
    }
    expect(await pods()).toHaveLength(4);
    release();
    await world.runWithKubelet();
    const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(Array.from({ length: 6 }, () => "three"));
  });

  test("is asked for: a revision that is there already is not made again under another name", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "controllerrevisions" });
    await create();
    await world.run();
    await addNodes(0, 1);
    await world.run();
    release();
    await world.run();
    expect(await world.list(resources.controllerRevisions)).toHaveLength(1);
    expect(await pods()).toHaveLength(1);
    expect((await world.get(resources.daemonSets, "foo")).status?.collisionCount).toBeUndefined();
  });

  test("because it came and went unseen is missed at the latest when waiting for it times out", async () => {
    await addNodes(0, 1);
    await world.start(controller);
    const { faults, store } = world.server.parts;
    const release = faults.holdWatches({ resource: "pods" });
    await create();
    await world.run();
    const [first] = await pods();
    await world.delete(resources.pods, first?.metadata.name ?? "");
    store.compact();
    faults.dropWatches({ resource: "pods" });
    release();
    await world.run(EXPECTATIONS_TIMEOUT_MS + 60_000);
    const [second] = await pods();
    expect(second).toBeDefined();
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestExpectationsOnRecreate
  test("of a DaemonSet that is gone does not hold up another of its name", async () => {
    await addNodes(0, 1);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    const first = await create();
    await world.run();
    expect(await pods()).toHaveLength(1);
    await world.delete(resources.daemonSets, "foo");
    await world.run();
    const second = await create();
    await world.run();
    release();
    await world.run();
    const owners = (await pods()).map((each) => controllerOf(each)?.uid);
    expect(new Set(owners)).toEqual(new Set([first.metadata.uid, second.metadata.uid]));
  });
});

async function create(): Promise<DaemonSet> {
  const { metadata, ...rest } = daemonSet({ strategy: unavailable(2) });
  const { uid: _, ...named } = metadata;
  return world.create(resources.daemonSets, { ...rest, metadata: named });
}

async function addNodes(first: number, count: number): Promise<void> {
  for (const each of nodes(first, count)) await world.create(resources.nodes, each);
}

async function pods(): Promise<readonly Pod[]> {
  return world.list<Pod>(resources.pods);
}

async function setImage(image: string): Promise<void> {
  await world.update(resources.daemonSets, "foo", (ds) => {
    const { template, ...spec } = ds.spec ?? { selector: {}, template: {} };
    const containers = [{ name: "main", image }];
    return { ...ds, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
  });
}
