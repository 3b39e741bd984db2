import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import {
  type ControllerWorld,
  lineOf,
  newWorld,
  type WorldOptions,
} from "../../test/harness/controller-world.ts";
import { NodesInWorld } from "../../test/harness/nodes-in-world.ts";
import { nodeLifecycleController } from "./controller.ts";
import { settings } from "./samples.test-data.ts";

const PERIOD_MS = settings.monitorPeriodMs;
const SILENT_MS = 65_000;

let world: ControllerWorld;
let nodes: NodesInWorld;
let set: Awaited<ReturnType<ControllerWorld["start"]>>;

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await newWorld(options);
  nodes = new NodesInWorld(world);
}
beforeEach(async () => begin());
afterEach(async () => world.stop());

async function start(changes: Partial<typeof settings> = {}): Promise<void> {
  set = await world.start(nodeLifecycleController({ ...settings, ...changes }));
}

interface Shown {
  readonly queue: string;
  readonly syncs: number;
  readonly history: readonly { readonly key: string; readonly decisions: readonly string[] }[];
}

function shown(queue: string): Shown | undefined {
  const page = set.debug("node-lifecycle-controller", "/", new URLSearchParams());
  return (JSON.parse(page?.body ?? "[]") as readonly Shown[]).find((each) => each.queue === queue);
}

async function updateNode(name: string, change: (node: Node) => Node): Promise<void> {
  await world.update(resources.nodes, name, change);
}

describe("what a node says", () => {
  test("becomes taints and labels, in one write", async () => {
    const labels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" };
    await nodes.add("a", { labels, conditions: [{ type: "DiskPressure", status: "True" }] });
    await start();
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes a"]);
    expect(await nodes.taints("a")).toBe("disk-pressure:NoSchedule");
    expect((await nodes.get("a")).metadata.labels).toEqual({
      ...labels,
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "arm64",
    });
  });

  test.each<[string, (node: Node) => Node, string]>([
    [
      "that it takes no pods",
      (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }),
      "unschedulable:NoSchedule",
    ],
    [
      "that it has a taint that nothing calls for",
      (node) => ({
        ...node,
        spec: { ...node.spec, taints: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }] },
      }),
      "",
    ],
  ])("is minded when it changes: %s", async (_, change, expected) => {
    await nodes.add("a");
    await start();
    await updateNode("a", change);
    await world.run();
    expect(await nodes.taints("a")).toBe(expected);
  });

  test("is minded when a condition changes, and when it changes back", async () => {
    await nodes.add("a");
    await start();
    await nodes.report("a", "True", [{ type: "MemoryPressure", status: "True" }]);
    await world.run();
    expect(await nodes.taints("a")).toBe("memory-pressure:NoSchedule");
    await nodes.report("a", "True", [{ type: "MemoryPressure", status: "False" }]);
    await world.run();
    expect(await nodes.taints("a")).toBe("");
  });

  test("is minded when a label changes", async () => {
    await nodes.add("a");
    await start();
    const label = (value: string) => async () =>
      updateNode("a", (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata.labels, "kubernetes.io/os": value } },
      }));
    await label("linux")();
    await world.run();
    await label("windows")();
    await world.run();
    expect((await nodes.get("a")).metadata.labels?.["beta.kubernetes.io/os"]).toBe("windows");
  });

  test("wakes nobody while it is the same, however often it is said", async () => {
    await nodes.add("a");
    await start();
    const before = shown("node_lifecycle_controller")?.syncs;
    for (let count = 0; count < 20; count++) {
      await nodes.report("a", "True");
      await nodes.run(10_000);
    }
    expect(before).toBe(1);
    expect(shown("node_lifecycle_controller")?.syncs).toBe(before);
    expect(world.takeWrites()).toEqual([]);
  });

  test("is written again when it was refused", async () => {
    await nodes.add("a", { ready: "False" });
    await nodes.add("b");
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", name: "a" },
      times: 3,
      action: { kind: "status", when: "before", error: internal("no") },
    });
    await start();
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.taints("a")).toBe("not-ready:NoExecute not-ready:NoSchedule");
  });
});

describe("the settings", () => {
  test("say how often nodes are looked at", async () => {
    await nodes.add("a");
    await start({ monitorPeriodMs: 20_000 });
    await world.run(100_000);
    expect(shown("rounds")?.syncs).toBe(6);
  });

  test("say how long a node may be silent", async () => {
    await nodes.add("a");
    await nodes.add("b");
    await start({ monitorGracePeriodMs: 200_000 });
    nodes.silence("a");
    await nodes.run(195_000);
    expect(await nodes.condition("a")).toBe("True");
    await nodes.run(15_000);
    expect(await nodes.condition("a")).toBe("Unknown");
  });

  test("say how long a node may be silent before it has said how it is", async () => {
    await nodes.add("a", { ready: null, lease: false });
    nodes.silence("a");
    await start({ startupGracePeriodMs: 200_000 });
    await nodes.run(195_000);
    expect(await nodes.condition("a")).toBe("");
    await nodes.run(15_000);
    expect(await nodes.condition("a")).toBe("Unknown");
  });

  test("say what share of a zone may be down", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await nodes.add(name);
    await start({ unhealthyZoneThreshold: 0.7 });
    nodes.silence("a", "b", "c");
    await nodes.run(SILENT_MS);
    const taints = await Promise.all(["a", "b", "c"].map(async (name) => nodes.taints(name)));
    expect(taints.filter((text) => text.includes("NoExecute"))).not.toEqual([]);
  });
});

describe("what it tells", () => {
  test("in metrics", async () => {
    await world.stop();
    const { main: metrics } = createMetrics({ version: "1.36.4" });
    await begin({ metrics });
    for (const name of ["a", "b", "c", "d"]) await nodes.add(name, { zone: name === "d" ? "y" : "x" });
    await start();
    const values = async (): Promise<Readonly<Record<string, string>>> => {
      const lines = (await metrics.expose()).split("\n").filter((line) => line.startsWith("node_collector"));
      return Object.fromEntries(
        lines
          .filter((line) => !line.includes("_bucket") && !line.includes("_sum"))
          .map((line) => {
            const at = line.lastIndexOf(" ");
            return [line.slice("node_collector_".length, at).replaceAll("\0", "·"), line.slice(at + 1)];
          }),
      );
    };
    expect(await values()).toEqual({
      'evictions_total{zone=":·:x"}': "0",
      'evictions_total{zone=":·:y"}': "0",
      'unhealthy_nodes_in_zone{zone=":·:x"}': "0",
      'unhealthy_nodes_in_zone{zone=":·:y"}': "0",
      'zone_health{zone=":·:x"}': "100",
      'zone_health{zone=":·:y"}': "100",
      'zone_size{zone=":·:x"}': "3",
      'zone_size{zone=":·:y"}': "1",
      update_all_nodes_health_duration_seconds_count: "1",
      update_node_health_duration_seconds_count: "4",
    });
    nodes.silence("a");
    await nodes.run(SILENT_MS);
    await world.delete(resources.nodes, "d");
    nodes.silence("d");
    await nodes.run(PERIOD_MS);
    const after = await values();
    expect(after).toMatchObject({
      'evictions_total{zone=":·:x"}': "1",
      'unhealthy_nodes_in_zone{zone=":·:x"}': "1",
      'zone_size{zone=":·:x"}': "3",
      'zone_size{zone=":·:y"}': "0",
      'zone_health{zone=":·:y"}': "100",
      'unhealthy_nodes_in_zone{zone=":·:y"}': "0",
    });
    expect(Number(after['zone_health{zone=":·:x"}'])).toBeCloseTo(200 / 3);
    const rounds = Number(after["update_all_nodes_health_duration_seconds_count"]);
    expect(rounds).toBeGreaterThan(10);
    expect(Number(after["update_node_health_duration_seconds_count"])).toBeLessThanOrEqual(4 * rounds);
  });

  test("of its rounds: which nodes have stopped answering, and how fast zones are emptied", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await start();
    nodes.silence("a");
    await nodes.run(SILENT_MS);
    const rounds = shown("rounds")?.history.flatMap(({ decisions }) => decisions) ?? [];
    expect(
      rounds.some((text) => text.startsWith("The node has stopped answering") && text.includes('"a"')),
    ).toBe(true);
    const zones = shown("node_lifecycle_zones")?.history.flatMap(({ decisions }) => decisions) ?? [];
    expect(zones.some((text) => text.startsWith("Pods are driven away from the node"))).toBe(true);
  });
});

test("a leader that takes over in the middle of an outage changes nothing that is right", async () => {
  for (const name of ["a", "b", "c"]) await nodes.add(name);
  await nodes.addPod("p", "a");
  await start();
  nodes.silence("a");
  await nodes.run(SILENT_MS + 20_000);
  const before = await nodes.get("a");
  await world.stop();
  world.takeWrites();
  await start();
  await nodes.run(300_000);
  expect(world.takeWrites()).toEqual([]);
  expect(await nodes.get("a")).toEqual(before);
});

// upstream: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go#TestApplyNoExecuteTaintsToNodesEnqueueTwice
test("a node that is ready again when it is its turn takes nobody's turn, and puts nobody off", async () => {
  for (const name of ["a", "b", "c"]) await nodes.add(name, { zone: "x", ready: "False" });
  await nodes.add("y", { zone: "y" });
  await start({ monitorPeriodMs: 1_000_000 });
  expect(await nodes.taints("a")).toContain("NoExecute");
  await nodes.report("b", "True");
  await nodes.run(12_000);
  expect(await nodes.taints("b")).toBe("");
  expect(await nodes.taints("c")).toContain("NoExecute");
});

test("a node that has taken the name of one that waits is not emptied in its turn", async () => {
  for (const name of ["a", "b"]) await nodes.add(name, { zone: "x", ready: "False" });
  await nodes.add("y", { zone: "y" });
  await start({ monitorPeriodMs: 1_000_000 });
  expect(await nodes.taints("a")).toContain("NoExecute");
  await world.delete(resources.nodes, "b");
  await nodes.add("b", { zone: "x", ready: "False", lease: false });
  await nodes.run(12_000);
  expect(await nodes.taints("b")).toBe("not-ready:NoSchedule");
});

test("when the first node is ready again after none was, all have their grace period anew", async () => {
  await nodes.add("a", { ready: "False" });
  await nodes.add("b");
  await start();
  nodes.silence("b");
  await nodes.run(60_000);
  expect(await nodes.condition("b")).toBe("Unknown");
  nodes.silence("a");
  await nodes.run(35_000);
  await nodes.revive("b");
  await nodes.run(35_000);
  expect(await nodes.condition("a")).toBe("False");
  await nodes.run(35_000);
  expect(await nodes.condition("a")).toBe("Unknown");
});

test("a newcomer is free of the taints that it brings along, until it is found to be down", async () => {
  await nodes.add("b");
  await start();
  await nodes.run(PERIOD_MS);
  const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }];
  await nodes.add("a", { ready: null, spec: { taints } });
  await nodes.run(2 * PERIOD_MS);
  expect(await nodes.taints("a")).toBe("");
});

describe("a zone that fails", () => {
  test("has its pods marked within a round, however many there are", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `x${index}`);
    for (const name of names) await nodes.add(name, { zone: "x" });
    await nodes.add("y", { zone: "y" });
    for (const name of names) for (let pod = 0; pod < 10; pod++) await nodes.addPod(`${name}-${pod}`, name);
    await start();
    nodes.silence(...names);
    let most = 0;
    let underWay = 0;
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: {
        kind: "interfere",
        run: async () => {
          most = Math.max(most, ++underWay);
          await new Promise<void>((resolve) => world.clock.setTimer(10, resolve));
          underWay--;
        },
      },
    });
    const times: number[] = [];
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: { kind: "interfere", run: () => void times.push(world.clock.nowMs()) },
    });
    await nodes.run(75_000);
    const pods = await world.list(resources.pods);
    const ready = pods.filter(({ status }) => status?.conditions?.[0]?.status !== "False");
    expect(ready).toEqual([]);
    expect(times).toHaveLength(1_000);
    // 1,000 requests of 10 ms each, 64 at a time.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1_000);
    expect(most).toBe(64);
  });

  test("has its pods marked at that pace with the usual flags, too", async () => {
    await world.stop();
    await begin({ qps: 20 });
    const names = Array.from({ length: 100 }, (_, index) => `x${index}`);
    for (const name of names) await nodes.add(name, { zone: "x" });
    await nodes.add("y", { zone: "y" });
    for (const name of names) for (let pod = 0; pod < 10; pod++) await nodes.addPod(`${name}-${pod}`, name);
    await start();
    nodes.silence(...names);
    await nodes.run(35_000);
    const times: number[] = [];
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: { kind: "interfere", run: () => void times.push(world.clock.nowMs()) },
    });
    await nodes.run(40_000);
    expect(times).toHaveLength(1_000);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1_500);
  });
});

test("a node with thousands of taints and conditions is one of many", async () => {
  const taints = Array.from({ length: 3_000 }, (_, index) => ({
    key: `example.com/t${index}`,
    effect: "NoSchedule",
  }));
  const conditions = Array.from({ length: 3_000 }, (_, index) => ({
    type: `example.com/C${index}`,
    status: "True",
  }));
  await nodes.add("a", { spec: { taints }, conditions });
  await nodes.add("b");
  await start();
  nodes.silence("a");
  await nodes.run(SILENT_MS);
  const { spec, status } = await nodes.get("a");
  expect(spec?.taints).toHaveLength(3_002);
  expect(status?.conditions).toHaveLength(3_004);
  expect(await nodes.condition("a")).toBe("Unknown");
});
