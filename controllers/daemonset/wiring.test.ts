import { afterEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, newWorld, type WorldOptions } from "../../test/harness/controller-world.ts";
import { DaemonSetInWorld } from "../../test/harness/daemon-set-in-world.ts";
import { daemonSetController } from "./controller.ts";
import { ROLLING } from "./samples.test-data.ts";

const controller = daemonSetController({ workers: 2 });
const MINUTE = 60_000;

let world: ControllerWorld;
let it: DaemonSetInWorld;
afterEach(async () => world.stop());

async function begin(nodes: number, options: WorldOptions = {}): Promise<void> {
  world = await newWorld(options);
  it = new DaemonSetInWorld(world);
  await it.addNodes(nodes);
  await world.start(controller);
}

async function changeNode(change: (node: Node) => Node): Promise<void> {
  await world.update(resources.nodes, "node-0", change);
  await world.run();
}

// upstream: pkg/controller/daemon/daemon_controller.go#syncNodeUpdate
test("a change of a node wakes those to which it makes a difference", async () => {
  const { main } = createMetrics({ version: "1.36.4" });
  await begin(1, { metrics: main });
  await it.create({ spec: { tolerations: [{ key: "mine", operator: "Exists" }] } });
  await world.runWithKubelet();
  const added = async (): Promise<number> =>
    Number(/^workqueue_adds_total\{name="daemonset"\} (\d+)$/m.exec(await main.expose())?.[1]);
  const before = await added();
  await changeNode((node) => ({ ...node, metadata: { ...node.metadata, labels: { zone: "other" } } }));
  await changeNode((node) => ({ ...node, spec: { taints: [{ key: "mine", effect: "NoExecute" }] } }));
  expect(await added()).toBe(before);
  await changeNode((node) => ({ ...node, spec: { taints: [{ key: "other", effect: "NoSchedule" }] } }));
  expect(await added()).toBeGreaterThan(before);
  expect(await it.status()).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 });
});

test("pods that a cache does not show yet are counted, and are waited for without end", async () => {
  await begin(2);
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await it.create();
  await world.run();
  expect(await it.status()).toMatchObject({ desiredNumberScheduled: 2, currentNumberScheduled: 2 });
  await world.run(10 * MINUTE);
  await it.addNodes(1, 2);
  await world.run(10 * MINUTE);
  expect(await it.pods()).toHaveLength(2);
  release();
  await world.run();
  expect(await it.pods()).toHaveLength(3);
});

test("a status that a cache does not show yet is waited for, too", async () => {
  await begin(2);
  await it.create();
  await world.run();
  const release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
  world.takeWrites();
  for (const each of await it.pods()) {
    await world.markPod(each.metadata.name ?? "", "ready");
    await world.run(1_000);
  }
  expect(world.takeWrites().map(({ resource, status }) => `${resource} ${status}`)).toEqual([
    "daemonsets/status 200",
  ]);
  release();
  await world.run();
  expect(await it.status()).toMatchObject({ numberReady: 2 });
});

test("pods are deleted in bursts of 250, of which each waits to be seen", async () => {
  await begin(300);
  await it.create();
  await world.run();
  await world.update(resources.daemonSets, "foo", (ds) => {
    const { template, ...spec } = ds.spec ?? { selector: {}, template: {} };
    const nowhere = { containers: [], ...template.spec, nodeSelector: { no: "where" } };
    return { ...ds, spec: { ...spec, template: { ...template, spec: nowhere } } };
  });
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await world.run();
  const going = (): number =>
    world.takeWrites().filter(({ verb, resource }) => verb === "delete" && resource === "pods").length;
  expect(going()).toBe(250);
  release();
  await world.run();
  expect(going()).toBe(50);
});

test("what has been ready for long enough is available, and counts as that when time has passed", async () => {
  await begin(1);
  await it.create({ minReadySeconds: 30, strategy: ROLLING });
  await world.runWithKubelet();
  expect((await it.status())?.numberAvailable ?? 0).toBe(0);
  await world.run(31_000);
  expect(await it.status()).toMatchObject({ numberReady: 1, numberAvailable: 1 });
});
