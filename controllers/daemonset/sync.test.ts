import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { DaemonSetInWorld } from "../../test/harness/daemon-set-in-world.ts";
import { toldErrors } from "../../test/harness/told-errors.ts";
import type { Write } from "../../pkg/testing/recorded-transport.ts";
import { daemonSetController } from "./controller.ts";
import { targetNode } from "./pod-template.ts";
import { BOTH_STRATEGIES, daemonSet, NO_STATUS, nodes, ROLLING } from "./samples.test-data.ts";

const controller = daemonSetController({ workers: 2 });

let world: ControllerWorld;
let it: DaemonSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  it = new DaemonSetInWorld(world);
});
afterEach(async () => world.stop());

function linesOf(writes: readonly Write[]): readonly string[] {
  return writes.map(lineOf);
}

function only(writes: readonly Write[], verb: string, resource: string): readonly Write[] {
  return writes.filter((write) => write.verb === verb && write.resource === resource);
}

describe.each(BOTH_STRATEGIES)("with %j pods", (strategy) => {
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSimpleDaemonSetScheduleDaemonSetPodsLaunchesPods,
  // #TestSimpleDaemonSetUpdatesStatusAfterLaunchingPods
  test("are created for every node, by affinity, and told of in the same sync", async () => {
    await it.addNodes(5);
    await it.create({ strategy });
    await world.start(controller);
    const made = await it.pods();
    expect(made.map(({ spec }) => spec?.nodeName)).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(new Set(made.map(({ spec }) => targetNode(spec)))).toEqual(
      new Set(nodes(0, 5).map(({ metadata }) => metadata.name)),
    );
    expect(made.map((each) => controllerOf(each)?.kind)).toEqual(made.map(() => "DaemonSet"));
    expect(linesOf(world.takeWrites())).toEqual([
      "create controllerrevisions",
      ...made.map(() => "create pods"),
      "update daemonsets/status foo",
    ]);
    expect(await it.status()).toMatchObject({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 5,
      updatedNumberScheduled: 5,
      numberUnavailable: 5,
      observedGeneration: 1,
    });
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSimpleDaemonSetPodCreateErrors,
  // #TestDaemonSetPodCreateExpectationsError
  test("that a quota refuses are not asked for all at once, nor waited for", async () => {
    world.allowPods(10);
    await it.addNodes(100);
    await it.create({ strategy });
    await world.start(controller);
    const creates = only(world.takeWrites(), "create", "pods");
    expect(creates.slice(0, 15).filter(({ status }) => status === 201)).toHaveLength(10);
    // Every later sync begins with one try again.
    expect(creates.slice(15).length).toBeGreaterThan(0);
    expect(creates.slice(15).length).toBeLessThan(20);
    expect(await it.status()).toMatchObject({
      desiredNumberScheduled: 100,
      currentNumberScheduled: 10,
      updatedNumberScheduled: 10,
    });
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDontDoAnythingIfBeingDeleted
  test("of a DaemonSet that is being deleted are left to others", async () => {
    await it.addNodes(1);
    await it.create({ strategy }, { finalizers: ["x.io/hold"] });
    await world.delete(resources.daemonSets, "foo");
    await world.start(controller);
    expect(world.takeWrites()).toEqual([]);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDontDoAnythingIfBeingDeletedRace
  test("are not adopted, nor created, for one that only the server knows to be going", async () => {
    await it.create({ strategy }, { finalizers: ["x.io/hold"] });
    await world.start(controller);
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
    await world.delete(resources.daemonSets, "foo");
    await it.createOrphan("stray");
    await it.addNodes(1);
    await world.run();
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run();
    expect(await it.pods()).toHaveLength(1);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestPodIsNotDeletedByDaemonsetWithEmptyLabelSelector
test("a selector that takes all is no selector, and is told of", async () => {
  await it.addNodes(1);
  const made = await it.create();
  await it.createOrphan("stray");
  // The server lets no such DaemonSet in: it is there from before it was so strict.
  const { store } = world.server.parts;
  const stored = store.get("apps/daemonsets", "default/foo");
  const { template } = made.spec ?? { template: {} };
  const lax = { ...made, metadata: { ...made.metadata }, spec: { selector: {}, template } };
  expect(store.put("apps/daemonsets", "default/foo", stored, lax)).toBeDefined();
  await world.start(controller);
  expect(world.takeWrites()).toEqual([]);
  expect(await world.events()).toEqual([
    "SelectingAll This daemon set is selecting all pods. A non-empty selector is required.",
  ]);
});

test("a selector that cannot be read is none either, is told of once, and not tried again until it changes", async () => {
  await world.stop();
  const { log, told } = toldErrors();
  world = await newWorld({ log });
  it = new DaemonSetInWorld(world);
  await it.addNodes(1);
  await it.createOrphan("stray");
  const { spec, ...rest } = daemonSet();
  const { template } = spec ?? { template: {} };
  const selector = { matchExpressions: [{ key: "foo", operator: "Like" }] };
  world.keep(resources.daemonSets, { ...rest, spec: { template, selector } });
  await world.start(controller);
  await world.run(60_000);
  expect(world.takeWrites()).toEqual([]);
  expect(told).toEqual([expect.stringMatching(/^The selector cannot be read: .*Like/)]);
});

describe("what goes wrong", () => {
  const failing = (verb: string, resource: string, times: number, subresource = ""): void => {
    world.server.parts.faults.add({
      target: { verb, resource, subresource },
      times,
      action: { kind: "status", when: "before", error: internal("fake error") },
    });
  };
  const written = (): readonly string[] =>
    world
      .takeWrites()
      .filter(({ resource }) => resource !== "events")
      .map((write) => `${lineOf(write)} ${write.status}`);

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSimpleDaemonSetUpdatesStatusError: sync error
  test("with pods is tried again, and told of in the status first", async () => {
    await it.addNodes(1);
    await it.create();
    failing("create", "pods", 1);
    await world.start(controller);
    expect(written()).toEqual([
      "create controllerrevisions 201",
      "create pods 500",
      "update daemonsets/status foo 200",
      "create pods 201",
      "update daemonsets/status foo 200",
    ]);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSimpleDaemonSetUpdatesStatusError: status error, sync
  // and status error; #TestStoreDaemonSetStatus
  test.each([
    ["once is tried again at once", 1, 0, ["500", "200"]],
    ["twice is tried again in the next sync", 2, 0, ["500", "500", "200"]],
    ["and cannot be read either, is tried again in the next sync", 1, 1, ["500", "200"]],
  ])("with the status %s", async (_, updates, gets, expected) => {
    await it.create();
    failing("update", "daemonsets", updates, "status");
    failing("get", "daemonsets", gets);
    await world.start(controller);
    const statuses = only(world.takeWrites(), "update", "daemonsets/status");
    expect(statuses.map(({ status }) => String(status))).toEqual(expected);
  });

  test("with the status is mended on top of what others have written", async () => {
    await it.create();
    world.server.parts.faults.add({
      target: { verb: "update", resource: "daemonsets", subresource: "status" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          const now = await world.get(resources.daemonSets, "foo");
          const status = { ...NO_STATUS, collisionCount: 7 };
          await world.client.clientFor(resources.daemonSets).updateStatus({ ...now, status });
        },
      },
    });
    await world.start(controller);
    expect(await it.status()).toMatchObject({ collisionCount: 7, observedGeneration: 1 });
  });

  test("with both is tried again for both", async () => {
    await it.addNodes(1);
    await it.create();
    failing("create", "pods", 1);
    failing("update", "daemonsets", 2, "status");
    await world.start(controller);
    expect(written()).toEqual([
      "create controllerrevisions 201",
      "create pods 500",
      "update daemonsets/status foo 500",
      "update daemonsets/status foo 500",
      "create pods 201",
      "update daemonsets/status foo 200",
    ]);
  });

  test("with a deletion is tried again soon, not when expectations have expired", async () => {
    await it.addNodes(2);
    await it.create({ strategy: ROLLING });
    await world.start(controller);
    failing("delete", "pods", 1);
    await it.setImage("foo2/bar2");
    await world.run(5_000);
    const images = await it.images();
    expect(images).toEqual(["foo2/bar2", "foo2/bar2"]);
  });
});

describe("pods", () => {
  test("come in bursts of 250, of which each waits to be seen", async () => {
    await it.addNodes(600);
    await it.create();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.start(controller);
    expect(await it.pods()).toHaveLength(250);
    release();
    await world.run();
    expect(await it.pods()).toHaveLength(600);
    expect(await it.status()).toMatchObject({ desiredNumberScheduled: 600, currentNumberScheduled: 600 });
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDaemonKillFailedPodsBackoff
  test("that fail are replaced, each time later", async () => {
    await it.addNodes(1);
    await it.create();
    await world.start(controller);
    const startMs = world.clock.nowMs();
    const replacedAt: number[] = [];
    let last = "";
    while (replacedAt.length < 5) {
      const [first] = await it.pods();
      const name = first?.metadata.name ?? "";
      if (name !== "" && name !== last) {
        replacedAt.push(Math.floor((world.clock.nowMs() - startMs) / 1_000));
        await world.markPod(name, "failed");
        last = name;
      }
      await world.run(100);
    }
    expect(replacedAt).toEqual([0, 0, 1, 3, 7]);
    expect((await world.events()).find((line) => line.startsWith("FailedDaemonPod"))).toMatch(
      /^FailedDaemonPod Found failed daemon pod default\/foo-\w+ on node .*, will try to kill it$/,
    );
  });

  test("without an owner are adopted, and none is created beside them", async () => {
    await it.addNodes(1);
    await it.createOrphan("stray");
    await it.create();
    await world.start(controller);
    expect((await it.pods()).map((each) => [each.metadata.name, controllerOf(each)?.name])).toEqual([
      ["stray", "foo"],
    ]);
    expect(linesOf(world.takeWrites())).toEqual([
      "patch pods stray",
      "create controllerrevisions",
      "update daemonsets/status foo",
    ]);
  });

  test("on a node that is gone are counted no more, without another pod being deleted for it", async () => {
    await it.addNodes(2);
    await it.create();
    await world.start(controller);
    await world.delete(resources.nodes, "node-1");
    await world.run();
    expect(await it.status()).toMatchObject({ desiredNumberScheduled: 1, currentNumberScheduled: 1 });
    expect((await it.pods()).map(({ spec }) => targetNode(spec))).toEqual(["node-0"]);
  });

  test("follow the labels and taints of nodes", async () => {
    await it.addNodes(2);
    await it.create({ spec: { nodeSelector: { role: "db" } } });
    await world.start(controller);
    expect(await it.pods()).toEqual([]);
    await world.update(resources.nodes, "node-1", (each) => ({
      ...each,
      metadata: { ...each.metadata, labels: { role: "db" } },
    }));
    await world.run();
    expect((await it.pods()).map(({ spec }) => targetNode(spec))).toEqual(["node-1"]);
    await world.update(resources.nodes, "node-1", (each) => ({
      ...each,
      spec: { ...each.spec, taints: [{ key: "away", effect: "NoExecute" }] },
    }));
    await world.run();
    expect(await it.pods()).toEqual([]);
  });
});

test("another manager finds nothing to do", async () => {
  await it.addNodes(3);
  await it.create({ strategy: ROLLING });
  await world.start(controller);
  await world.runWithKubelet();
  await world.stop();
  world.takeWrites();
  await world.start(controller);
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
});
