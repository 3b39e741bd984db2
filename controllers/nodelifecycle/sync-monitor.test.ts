import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { NodesInWorld } from "../../test/harness/nodes-in-world.ts";
import { nodeLifecycleController } from "./controller.ts";
import { settings } from "./samples.test-data.ts";

/** A node that falls silent is still within its grace period after this, and beyond it a while later. */
const WITHIN_MS = 35_000;
const BEYOND_MS = 25_000;
const PERIOD_MS = settings.monitorPeriodMs;

let world: ControllerWorld;
let nodes: NodesInWorld;
beforeEach(async () => {
  world = await newWorld();
  nodes = new NodesInWorld(world);
});
afterEach(async () => world.stop());

async function start(changes: Partial<typeof settings> = {}): Promise<void> {
  await world.start(nodeLifecycleController({ ...settings, ...changes }));
}

function writes(): readonly string[] {
  return world.takeWrites().map(lineOf).toSorted();
}

async function timeOfTaint(name: string, effect: string): Promise<string> {
  const { spec } = await nodes.get(name);
  return spec?.taints?.find((taint) => taint.effect === effect)?.timeAdded ?? "";
}

describe("a node that dies", () => {
  test("is unknown, loses new pods at once and its pods after its turn, and is well again when it returns", async () => {
    for (const name of ["a", "b", "c"]) await nodes.add(name);
    await nodes.addPod("p", "a");
    await start();
    await nodes.run(60_000);
    expect(writes()).toEqual([]);
    nodes.silence("a");
    await nodes.run(WITHIN_MS);
    expect(await nodes.condition("a")).toBe("True");
    await nodes.run(BEYOND_MS);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.podReady("p")).toBe("False");
    expect(await nodes.taints("a")).toBe("unreachable:NoExecute unreachable:NoSchedule");
    expect(writes()).toEqual([
      "patch nodes a",
      "patch nodes a",
      "patch nodes/status a",
      "patch pods/status p",
    ]);
    await nodes.revive("a");
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.taints("a")).toBe("");
    expect(await nodes.condition("b")).toBe("True");
  });

  test("is told of in events", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await nodes.addPod("p", "a");
    await start();
    nodes.silence("a");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    await world.delete(resources.nodes, "a");
    await nodes.run(PERIOD_MS);
    expect((await world.events()).toSorted()).toEqual([
      "NodeNotReady Node a status is now: NodeNotReady",
      "NodeNotReady Node is not ready",
      "RegisteredNode Node a event: Registered Node a in Controller",
      "RegisteredNode Node b event: Registered Node b in Controller",
      "RemovingNode Node a event: Removing Node a from Controller",
    ]);
    const event = (await world.list(resources.events)).find(({ reason }) => reason === "RemovingNode");
    expect(event?.source?.component).toBe("node-controller");
    expect(event?.involvedObject).toMatchObject({ kind: "Node", name: "a" });
  });

  test("says of all that a kubelet says that it is unknown, and of nothing else", async () => {
    const gpu = { type: "example.com/Gpu", status: "True" };
    await nodes.add("a", { conditions: [gpu, { type: "DiskPressure", status: "True", reason: "Full" }] });
    await nodes.add("b");
    await start();
    nodes.silence("a");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    const { status, metadata } = await nodes.get("a");
    const shown = (status?.conditions ?? []).map(
      ({ type, status: value, reason }) => `${type} ${value} ${reason}`,
    );
    expect(shown.toSorted()).toEqual([
      "DiskPressure Unknown NodeStatusUnknown",
      "MemoryPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
      "Ready Unknown NodeStatusUnknown",
      "example.com/Gpu True undefined",
    ]);
    const never = status?.conditions?.find(({ type }) => type === "PIDPressure");
    expect(never?.lastHeartbeatTime).toBe(metadata.creationTimestamp);
    expect(never?.message).toBe("Kubelet never posted node status.");
  });

  test("is left alone for longer when it has never said how it is", async () => {
    await nodes.add("a", { ready: null, lease: false });
    nodes.silence("a");
    await nodes.add("b");
    await start();
    await nodes.run(55_000);
    expect(await nodes.condition("a")).toBe("");
    await nodes.run(15_000);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.taints("a")).toBe("unreachable:NoExecute unreachable:NoSchedule");
  });

  test("is well as long as it renews its Lease, whatever its status", async () => {
    await nodes.add("silent", { ready: null });
    await nodes.add("b");
    await start();
    await nodes.run(600_000);
    expect(await nodes.condition("silent")).toBe("");
    expect(await nodes.condition("b")).toBe("True");
  });

  test("is well as long as it posts its status, whatever its Lease", async () => {
    await nodes.add("a", { lease: false });
    nodes.silence("a");
    await nodes.add("b");
    await start();
    for (let at = 0; at < 300_000; at += 30_000) {
      await nodes.report("a", "True");
      await nodes.run(30_000);
    }
    expect(writes()).toEqual([]);
  });
});

describe("a node that says itself that it is not ready", () => {
  test("is tainted so; its kubelet sees to its pods", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await nodes.addPod("p", "a");
    await start();
    await nodes.run(PERIOD_MS);
    await nodes.report("a", "False");
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.taints("a")).toBe("not-ready:NoExecute not-ready:NoSchedule");
    expect(await nodes.podReady("p")).toBe("True");
  });

  test("changes one taint for the other at once when it falls silent, and again when it says so again", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await start({ evictionRate: 0.001 });
    await nodes.report("a", "False");
    await nodes.run(2 * PERIOD_MS);
    const before = await timeOfTaint("a", "NoExecute");
    nodes.silence("a");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await nodes.taints("a")).toBe("unreachable:NoExecute unreachable:NoSchedule");
    const after = await timeOfTaint("a", "NoExecute");
    expect(after > before).toBe(true);
    await nodes.report("a", "False");
    await nodes.run(PERIOD_MS);
    expect(await nodes.taints("a")).toBe("not-ready:NoExecute not-ready:NoSchedule");
    expect((await timeOfTaint("a", "NoExecute")) > after).toBe(true);
  });

  test("keeps its taint, with its time, when it returns for no more than a moment", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await start();
    await nodes.report("a", "False");
    await nodes.run(2 * PERIOD_MS);
    const before = await timeOfTaint("a", "NoExecute");
    await nodes.report("a", "True");
    await world.run();
    const show = world.hideEvents("nodes");
    await nodes.report("a", "False");
    await nodes.run(PERIOD_MS);
    show();
    await nodes.run(2 * PERIOD_MS);
    expect(await timeOfTaint("a", "NoExecute")).toBe(before);
    expect(await nodes.taints("a")).toBe("not-ready:NoExecute not-ready:NoSchedule");
  });

  test("keeps its taint, with its time, over rounds and over a restart", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await start();
    await nodes.report("a", "False");
    await nodes.run(2 * PERIOD_MS);
    const { resourceVersion } = (await nodes.get("a")).metadata;
    await world.stop();
    await start();
    await nodes.run(60_000);
    expect((await nodes.get("a")).metadata.resourceVersion).toBe(resourceVersion);
  });
});

describe("pods of a node that is down", () => {
  test("are marked by whoever takes over, if the one before did not come to it", async () => {
    await nodes.add("a", { ready: "Unknown", lease: false });
    nodes.silence("a");
    await nodes.add("b");
    await nodes.addPod("p", "a");
    await nodes.addPod("q", "b");
    await start();
    expect(await nodes.podReady("p")).toBe("False");
    expect(await nodes.podReady("q")).toBe("True");
  });

  test("are marked from the start on a node that says that it is not ready", async () => {
    await nodes.add("a", { ready: "False" });
    await nodes.add("b");
    await nodes.addPod("p", "a");
    await start();
    expect(await nodes.podReady("p")).toBe("False");
  });

  // upstream: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go#TestProcessPodMarkPodNotReady
  test.each([
    ["a node that is ready", "True", "True"],
    ["a node that is not ready", "False", "False"],
    ["a node of which nothing is known", "Unknown", "False"],
    ["a node that has said nothing yet", null, "True"],
    ["a node that is not there", undefined, "True"],
  ] as const)("are marked when they come to it later: %s", async (_, ready, expected) => {
    await nodes.add("b");
    if (ready !== undefined) await nodes.add("a", { ready });
    await start();
    await nodes.run(PERIOD_MS);
    // The cache meets it when it is ready already.
    const show = world.hideEvents("pods");
    await nodes.addPod("p", "a");
    show();
    await world.run();
    expect(await nodes.podReady("p")).toBe(expected);
  });

  test("are marked when the cache shows late that they are ready", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await nodes.addPod("p", "a", "False");
    await start();
    const show = world.hideEvents("pods");
    const body = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    await world.client
      .clientFor(resources.pods)
      .patch({ namespace: "default", name: "p" }, { type: "strategic", body }, { subresource: "status" });
    nodes.silence("a");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.podReady("p")).toBe("True");
    show();
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.podReady("p")).toBe("False");
  });

  test("are marked when they are bound to it later", async () => {
    await nodes.add("a", { ready: "False" });
    await nodes.add("b");
    await start();
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const containers = [{ name: "main", image: "main" }];
    await world.createWithStatus(resources.pods, {
      metadata: { name: "p" },
      spec: { containers },
      status: ready,
    });
    await world.run();
    await world.client
      .clientFor(resources.pods)
      .createSubresource({ namespace: "default", name: "p" }, "binding", {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "p" },
        target: { kind: "Node", name: "a" },
      });
    await world.run();
    expect(await nodes.podReady("p")).toBe("False");
  });

  test("that are not ready are left alone, and so are those without the condition", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await nodes.addPod("p", "a", "False");
    await world.create(resources.pods, {
      metadata: { name: "q" },
      spec: { nodeName: "a", containers: [{ name: "main", image: "main" }] },
    });
    await start();
    nodes.silence("a");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(writes().filter((line) => line.includes("pods"))).toEqual([]);
  });
});

describe("zones", () => {
  const names = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const tainted = async (...of: readonly string[]): Promise<number> => {
    const taints = await Promise.all(of.map(async (name) => nodes.taints(name)));
    return taints.filter((text) => text.includes("NoExecute")).length;
  };

  test("of which all nodes are down are emptied at the usual rate, while others are well", async () => {
    for (const name of names("x", 4)) await nodes.add(name, { zone: "x" });
    for (const name of names("y", 2)) await nodes.add(name, { zone: "y" });
    await start();
    nodes.silence(...names("x", 4));
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await tainted(...names("x", 4))).toBe(1);
    await nodes.run(10_000);
    expect(await tainted(...names("x", 4))).toBe(2);
    await nodes.run(60_000);
    expect(await tainted(...names("x", 4))).toBe(4);
    expect(await tainted(...names("y", 2))).toBe(0);
  });

  test("of which most nodes are down are not emptied when they are small", async () => {
    for (const name of names("x", 5)) await nodes.add(name, { zone: "x" });
    await start();
    nodes.silence(...names("x", 3));
    await nodes.run(600_000);
    expect(await tainted(...names("x", 5))).toBe(0);
    expect(await nodes.condition("x0")).toBe("Unknown");
  });

  test("of which most nodes are down are emptied slowly when they are large", async () => {
    for (const name of names("x", 5)) await nodes.add(name, { zone: "x" });
    await start({ largeClusterSizeThreshold: 4 });
    nodes.silence(...names("x", 3));
    await nodes.run(WITHIN_MS + BEYOND_MS);
    await nodes.run(80_000);
    expect(await tainted(...names("x", 3))).toBe(1);
    await nodes.run(100_000);
    expect(await tainted(...names("x", 3))).toBe(2);
    await nodes.run(100_000);
    expect(await tainted(...names("x", 3))).toBe(3);
  });

  test("are let be when no node at all is ready; whoever waits there gets its grace period again", async () => {
    for (const name of ["x0", "x1"]) await nodes.add(name, { zone: "x" });
    await nodes.add("y0", { zone: "y" });
    await start();
    nodes.silence("x0");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await tainted("x0")).toBe(1);
    nodes.silence("x1", "y0");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await nodes.condition("y0")).toBe("Unknown");
    expect(await tainted("x0", "x1", "y0")).toBe(0);
    await nodes.run(300_000);
    expect(await tainted("x0", "x1", "y0")).toBe(0);
    expect(await nodes.taints("x1")).toBe("unreachable:NoSchedule");
    await nodes.revive("y0");
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.taints("y0")).toBe("");
    await nodes.run(20_000);
    expect(await tainted("x0", "x1")).toBeGreaterThan(0);
    await nodes.run(20_000);
    expect(await tainted("x0", "x1")).toBe(2);
  });

  test("that return are emptied no further, and have their pods back", async () => {
    for (const name of names("x", 3)) await nodes.add(name, { zone: "x" });
    await nodes.add("y0", { zone: "y" });
    await start();
    nodes.silence(...names("x", 3));
    await nodes.run(WITHIN_MS + BEYOND_MS);
    await nodes.revive(...names("x", 3));
    await nodes.run(PERIOD_MS);
    expect(await tainted(...names("x", 3))).toBe(0);
    await nodes.run(100_000);
    expect(await tainted(...names("x", 3))).toBe(0);
  });

  test("nodes that are not to count do not, and are emptied all the same", async () => {
    await nodes.add("x0", { zone: "x" });
    await nodes.add("master", { zone: "x", labels: { "node.kubernetes.io/exclude-disruption": "" } });
    await nodes.add("lone", { zone: "z", labels: { "node.kubernetes.io/exclude-disruption": "" } });
    await nodes.add("y0", { zone: "y" });
    await start();
    nodes.silence("master", "lone");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await tainted("master", "lone")).toBe(2);
    await nodes.revive("master", "lone");
    await nodes.run(PERIOD_MS);
    nodes.silence("x0", "y0");
    await nodes.run(WITHIN_MS + BEYOND_MS);
    expect(await tainted("x0", "y0")).toBe(0);
  });

  test("a node that waits in one and moves to another is emptied at the rate of that", async () => {
    for (const name of names("x", 5)) await nodes.add(name, { zone: "x" });
    await nodes.add("y0", { zone: "y" });
    await start();
    nodes.silence(...names("x", 3));
    await nodes.run(WITHIN_MS + BEYOND_MS + 60_000);
    expect(await tainted(...names("x", 5))).toBe(0);
    await world.update(resources.nodes, "x0", (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { "topology.kubernetes.io/zone": "y" } },
    }));
    await nodes.run(2 * PERIOD_MS);
    expect(await tainted("x0")).toBe(1);
  });
});
