import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerOf, newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { forbidden, internal } from "../../pkg/embedded/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import type { Write } from "../../test/harness/recorded-transport.ts";
import { daemonSetController } from "./controller.ts";
import { REVISION_HASH } from "./daemon-set.ts";
import { targetNode } from "./pod-template.ts";
import {
  BOTH_STRATEGIES,
  daemonSet,
  type DaemonSetSketch,
  LABELS,
  NO_STATUS,
  nodes,
  ROLLING,
  surge,
  unavailable,
} from "./samples.test-data.ts";

const controller = daemonSetController({ workers: 2 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

async function create(sketch: DaemonSetSketch = {}): Promise<DaemonSet> {
  const { metadata, ...rest } = daemonSet(sketch);
  const { uid: _, ...named } = metadata;
  return world.create(resources.daemonSets, { ...rest, metadata: named });
}

async function addNodes(count: number, first = 0): Promise<void> {
  for (const each of nodes(first, count)) await world.create(resources.nodes, each);
}

async function pods(): Promise<readonly Pod[]> {
  return world.list<Pod>(resources.pods);
}

async function revisions(): Promise<readonly ControllerRevision[]> {
  const all = await world.list<ControllerRevision>(resources.controllerRevisions);
  return all.toSorted((a, b) => a.revision - b.revision);
}

async function setImage(image: string): Promise<void> {
  await world.update(resources.daemonSets, "foo", (ds) => {
    const { template, ...spec } = ds.spec ?? { selector: {}, template: {} };
    const containers = [{ name: "main", image }];
    return { ...ds, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
  });
}

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
    await addNodes(5);
    await create({ strategy });
    await world.start(controller);
    const made = await pods();
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
    expect((await world.get(resources.daemonSets, "foo")).status).toMatchObject({
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
    let created = 0;
    world.server.parts.faults.add({
      target: { verb: "create", resource: "pods" },
      action: {
        kind: "interfere",
        run: () => {
          if (++created > 10) throw forbidden({ group: "", plural: "pods" }, "", "exceeded quota");
        },
      },
    });
    await addNodes(100);
    await create({ strategy });
    await world.start(controller);
    const creates = only(world.takeWrites(), "create", "pods");
    expect(creates.slice(0, 15).filter(({ status }) => status === 201)).toHaveLength(10);
    // Every later sync begins with one try again.
    expect(creates.slice(15).length).toBeGreaterThan(0);
    expect(creates.slice(15).length).toBeLessThan(20);
    const { status } = await world.get(resources.daemonSets, "foo");
    expect(status).toMatchObject({
      desiredNumberScheduled: 100,
      currentNumberScheduled: 10,
      updatedNumberScheduled: 10,
    });
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDontDoAnythingIfBeingDeleted
  test("of a DaemonSet that is being deleted are left to others", async () => {
    await addNodes(1);
    const { metadata, ...rest } = daemonSet({ strategy });
    const { uid: _, ...named } = metadata;
    await world.create(resources.daemonSets, { ...rest, metadata: { ...named, finalizers: ["x.io/hold"] } });
    await world.delete(resources.daemonSets, "foo");
    await world.start(controller);
    expect(world.takeWrites()).toEqual([]);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDontDoAnythingIfBeingDeletedRace
  test("are not adopted, nor created, for one that only the server knows to be going", async () => {
    const { metadata, ...rest } = daemonSet({ strategy });
    const { uid: _, ...named } = metadata;
    await world.create(resources.daemonSets, { ...rest, metadata: { ...named, finalizers: ["x.io/hold"] } });
    await world.start(controller);
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "daemonsets" });
    await world.delete(resources.daemonSets, "foo");
    await world.create(resources.pods, orphan("stray"));
    await addNodes(1);
    await world.run();
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run();
    expect(await pods()).toHaveLength(1);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestPodIsNotDeletedByDaemonsetWithEmptyLabelSelector
test("a selector that takes all is no selector, and is told of", async () => {
  await addNodes(1);
  const made = await create();
  await world.create(resources.pods, orphan("stray"));
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
    await addNodes(1);
    await create();
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
    await create();
    failing("update", "daemonsets", updates, "status");
    failing("get", "daemonsets", gets);
    await world.start(controller);
    const statuses = only(world.takeWrites(), "update", "daemonsets/status");
    expect(statuses.map(({ status }) => String(status))).toEqual(expected);
  });

  test("with the status is mended on top of what others have written", async () => {
    await create();
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
    const { status } = await world.get(resources.daemonSets, "foo");
    expect(status).toMatchObject({ collisionCount: 7, observedGeneration: 1 });
  });

  test("with both is tried again for both", async () => {
    await addNodes(1);
    await create();
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
    await addNodes(2);
    await create({ strategy: ROLLING });
    await world.start(controller);
    failing("delete", "pods", 1);
    await setImage("foo2/bar2");
    await world.run(5_000);
    const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(["foo2/bar2", "foo2/bar2"]);
  });
});

describe("pods", () => {
  test("come in bursts of 250, of which each waits to be seen", async () => {
    await addNodes(600);
    await create();
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.start(controller);
    expect(await pods()).toHaveLength(250);
    release();
    await world.run();
    expect(await pods()).toHaveLength(600);
    const { status } = await world.get(resources.daemonSets, "foo");
    expect(status).toMatchObject({ desiredNumberScheduled: 600, currentNumberScheduled: 600 });
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDaemonKillFailedPodsBackoff
  test("that fail are replaced, each time later", async () => {
    await addNodes(1);
    await create();
    await world.start(controller);
    const startMs = world.clock.nowMs();
    const replacedAt: number[] = [];
    let last = "";
    while (replacedAt.length < 5) {
      const [first] = await pods();
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
    await addNodes(1);
    await world.create(resources.pods, orphan("stray"));
    await create();
    await world.start(controller);
    expect((await pods()).map((each) => [each.metadata.name, controllerOf(each)?.name])).toEqual([
      ["stray", "foo"],
    ]);
    expect(linesOf(world.takeWrites())).toEqual([
      "patch pods stray",
      "create controllerrevisions",
      "update daemonsets/status foo",
    ]);
  });

  test("on a node that is gone are counted no more, without another pod being deleted for it", async () => {
    await addNodes(2);
    await create();
    await world.start(controller);
    await world.delete(resources.nodes, "node-1");
    await world.run();
    const { status } = await world.get(resources.daemonSets, "foo");
    expect(status).toMatchObject({ desiredNumberScheduled: 1, currentNumberScheduled: 1 });
    expect((await pods()).map(({ spec }) => targetNode(spec))).toEqual(["node-0"]);
  });

  test("follow the labels and taints of nodes", async () => {
    await addNodes(2);
    await create({ spec: { nodeSelector: { role: "db" } } });
    await world.start(controller);
    expect(await pods()).toEqual([]);
    await world.update(resources.nodes, "node-1", (each) => ({
      ...each,
      metadata: { ...each.metadata, labels: { role: "db" } },
    }));
    await world.run();
    expect((await pods()).map(({ spec }) => targetNode(spec))).toEqual(["node-1"]);
    await world.update(resources.nodes, "node-1", (each) => ({
      ...each,
      spec: { ...each.spec, taints: [{ key: "away", effect: "NoExecute" }] },
    }));
    await world.run();
    expect(await pods()).toEqual([]);
  });
});

describe("an update", () => {
  test.each([
    ["deletes first, in turns", unavailable(1)],
    ["deletes first, all at once", unavailable("100%")],
    ["creates first, in turns", surge(1)],
    ["creates first, all at once", surge("100%")],
  ])("that %s ends with new pods on all nodes", async (_, strategy) => {
    await addNodes(4);
    await create({ strategy });
    await world.start(controller);
    await world.runWithKubelet();
    await setImage("foo2/bar2");
    await world.runWithKubelet();
    const all = await pods();
    expect(all.map(({ spec }) => spec?.containers[0]?.image)).toEqual(all.map(() => "foo2/bar2"));
    expect(new Set(all.map(({ spec }) => targetNode(spec))).size).toBe(4);
    expect(all).toHaveLength(4);
    const { status } = await world.get(resources.daemonSets, "foo");
    expect(status).toMatchObject({ updatedNumberScheduled: 4, numberAvailable: 4, observedGeneration: 2 });
    expect(world.takeWrites().filter((write) => write.status >= 300)).toEqual([]);
  });

  test("of one that says OnDelete waits for the deletion", async () => {
    await addNodes(2);
    await create();
    await world.start(controller);
    await world.runWithKubelet();
    await setImage("foo2/bar2");
    await world.run();
    const [first] = await pods();
    await world.delete(resources.pods, first?.metadata.name ?? "");
    await world.run();
    const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
    expect(new Set(images)).toEqual(new Set(["foo/bar", "foo2/bar2"]));
  });

  test("goes on when a pod has been ready for long enough, though the wait began under another manager", async () => {
    await addNodes(1);
    await create({ strategy: surge(1), minReadySeconds: 60 });
    await world.start(controller);
    await world.runWithKubelet();
    await world.run(60_000);
    await setImage("foo2/bar2");
    await world.runWithKubelet();
    expect(await pods()).toHaveLength(2);
    await world.stop();
    await world.start(controller);
    await world.run(60_000);
    expect((await pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(1);
  });
});

describe("revisions", () => {
  test("say what was rolled out when, and no more are kept than are to be", async () => {
    await addNodes(1);
    await create({ strategy: ROLLING, historyLimit: 2 });
    await world.start(controller);
    for (const image of ["two", "three", "four", "two"]) {
      await setImage(image);
      await world.runWithKubelet();
    }
    const kept = await revisions();
    expect(kept.map(({ revision }) => revision)).toEqual([3, 4, 5]);
    const current = kept.at(-1);
    expect(current?.data).toMatchObject({
      spec: { template: { $patch: "replace", spec: { containers: [{ image: "two" }] } } },
    });
    expect((await pods()).map(({ metadata }) => metadata.labels?.[REVISION_HASH])).toEqual([
      current?.metadata.labels?.[REVISION_HASH],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestControlledHistories
  test("without an owner are adopted, but not those of another namespace", async () => {
    await world.create(resources.namespaces, { metadata: { name: "elsewhere" } });
    const stray = (namespace: string): ControllerRevision => ({
      metadata: { name: "stray", namespace, labels: LABELS },
      data: { spec: {} },
      revision: 7,
    });
    for (const namespace of ["default", "elsewhere"])
      await world.create(resources.controllerRevisions, stray(namespace));
    const made = await create();
    await world.start(controller);
    const managers = (await revisions()).map((each) => [each.metadata.namespace, controllerOf(each)?.uid]);
    expect(managers).toEqual(
      expect.arrayContaining([
        ["default", made.metadata.uid],
        ["default", made.metadata.uid],
        ["elsewhere", undefined],
      ]),
    );
    // It is older than the hash, and gets its name as one; the current template counts on from its number.
    const [older, current] = (await revisions()).filter(({ metadata }) => metadata.namespace === "default");
    expect(older?.metadata.labels?.[REVISION_HASH]).toBe("stray");
    expect(current?.revision).toBe(8);
  });

  test("that hold the same template become one, and pods of the others its pods", async () => {
    await addNodes(1);
    const made = await create({ strategy: ROLLING });
    await world.start(controller);
    const [first] = await revisions();
    const [before] = await pods();
    const { resourceVersion: _, uid: __, ...metadata } = first?.metadata ?? {};
    await world.create(resources.controllerRevisions, {
      ...first,
      metadata: { ...metadata, name: "twin", labels: { ...LABELS, [REVISION_HASH]: "twin" } },
      revision: 5,
    });
    // A new revision with an owner wakes nobody.
    await world.update(resources.daemonSets, "foo", (ds) => ({
      ...ds,
      metadata: { ...ds.metadata, annotations: { ...ds.metadata.annotations, touched: "yes" } },
    }));
    await world.run();
    expect((await revisions()).map((each) => each.metadata.name)).toEqual(["twin"]);
    const [after] = await pods();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.labels?.[REVISION_HASH]).toBe("twin");
    expect(controllerOf(after ?? { metadata: {} })?.uid).toBe(made.metadata.uid);
  });

  test("of another template that have the name already make the next one be taken", async () => {
    const made = await create();
    await world.start(controller);
    const [first] = await revisions();
    await world.stop();
    const { name = "" } = first?.metadata ?? {};
    await world.delete(resources.controllerRevisions, name);
    const ownerReferences = [newControllerRef({ metadata: { name: "x", uid: "x" } }, resources.daemonSets)];
    await world.create(resources.controllerRevisions, {
      metadata: { name, labels: { other: "yes" }, ownerReferences },
      data: { spec: {} },
      revision: 1,
    });
    await world.start(controller);
    const mine = (await revisions()).filter((each) => controllerOf(each)?.uid === made.metadata.uid);
    expect(mine.map(({ metadata }) => metadata.name)).not.toContain(name);
    expect(mine).toHaveLength(1);
    expect((await world.get(resources.daemonSets, "foo")).status?.collisionCount).toBe(1);
  });
});

test("another manager finds nothing to do", async () => {
  await addNodes(3);
  await create({ strategy: ROLLING });
  await world.start(controller);
  await world.runWithKubelet();
  await world.stop();
  world.takeWrites();
  await world.start(controller);
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
});

function orphan(name: string): Pod {
  return {
    metadata: { name, namespace: "default", labels: LABELS },
    spec: { containers: [{ name: "main", image: "foo/bar" }], nodeName: "node-0" },
  };
}
