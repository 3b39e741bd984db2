import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { podGarbageCollectorController } from "./controller.ts";

const QUARANTINE_MS = 40_000;
const PERIOD_MS = 20_000;
/** Enough for the quarantine to end and for the round after it. */
const ENOUGH_MS = QUARANTINE_MS + 2 * PERIOD_MS;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("orphans", () => {
  // upstream: pkg/controller/podgc/gc_controller_test.go#TestGCOrphaned
  test.each<[string, Scenario, string]>([
    [
      "nodes that the cache has",
      {
        nodes: ["existing1", "existing2"],
        pods: "a:existing1:Running b:existing2:Failed c:existing2:Succeeded",
      },
      "",
    ],
    [
      "nodes that only the server has",
      {
        lateNodes: ["existing1", "existing2"],
        pods: "a:existing1:Running b:existing2:Failed c:existing2:Succeeded",
      },
      "",
    ],
    ["no nodes, finished pods", { pods: "a:gone:Failed b:gone:Succeeded" }, "delete pods a, delete pods b"],
    [
      "no nodes, one pod that runs",
      { pods: "a:gone:Failed b:gone:Succeeded c:gone:Running" },
      "delete pods a, delete pods b, delete pods c, patch pods/status c",
    ],
    ["quarantine that is not over", { pods: "a:gone:Failed", waitMs: QUARANTINE_MS / 2 }, ""],
    ["other nodes", { nodes: ["existing"], pods: "a:gone:Running" }, "delete pods a, patch pods/status a"],
    [
      "some nodes missing",
      { nodes: ["existing"], pods: "a:gone:Failed b:existing:Failed c:gone:Succeeded d:gone:Running" },
      "delete pods a, delete pods c, delete pods d, patch pods/status d",
    ],
    [
      "a node that only the server has when the quarantine is over",
      { pods: "a:node:Running", comesBack: "server" },
      "",
    ],
    [
      "a node that the cache has when the quarantine is over",
      { pods: "a:node:Failed", comesBack: "cache" },
      "",
    ],
    [
      "a node that vanished from the server while the cache did not have it",
      { lateNodes: ["node"], pods: "a:node:Failed", vanishes: true },
      "delete pods a",
    ],
    [
      "a node that vanishes when the quarantine would have been over",
      { nodes: ["node"], pods: "a:node:Succeeded", vanishes: true, waitMs: PERIOD_MS },
      "",
    ],
  ])("%s", async (_, scenario, expected) => {
    expect((await play(scenario)).toSorted().join(", ")).toBe(expected);
  });

  test("of a node that cannot be read stay, and go when it can", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "get", resource: "nodes" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    expect(await play({ pods: "a:gone:Running" })).toEqual([]);
    repair();
    await world.run(QUARANTINE_MS + 4 * PERIOD_MS);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch pods/status a", "delete pods a"]);
  });

  test("are marked before they are deleted, in one go each", async () => {
    await world.create(resources.pods, {
      ...podNamed("a", "gone"),
      metadata: { name: "a", finalizers: ["x.io/hold"] },
    });
    await world.start(podGarbageCollectorController({ threshold: -1 }));
    await world.run(ENOUGH_MS);
    const pod = await world.get(resources.pods, "a");
    expect(pod.status?.phase).toBe("Failed");
    expect(pod.status?.observedGeneration).toBe(1);
    expect(pod.status?.conditions).toMatchObject([
      { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC", observedGeneration: 1 },
    ]);
    expect(pod.metadata.deletionTimestamp).toBeDefined();
  });
});

describe("a round", () => {
  test("deletes by force, of the very pod that was seen", async () => {
    await world.create(resources.pods, podNamed("a", "gone"));
    await world.start(podGarbageCollectorController({ threshold: -1 }));
    const { uid } = (await world.get(resources.pods, "a")).metadata;
    await world.run(ENOUGH_MS);
    const deletion = world.takeWrites().find(({ verb }) => verb === "delete");
    expect(deletion?.body).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid } });
  });

  test("goes on with the others when one pod cannot be deleted, and tries it again", async () => {
    await finished("a", "b");
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "pods", name: "a" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(podGarbageCollectorController({ threshold: 1 }));
    await world.create(resources.pods, podNamed("c"));
    await world.markPod("c", "failed");
    await world.run(2 * PERIOD_MS);
    expect((await world.list(resources.pods)).map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
    repair();
    await world.run(2 * PERIOD_MS);
    expect((await world.list(resources.pods)).map(({ metadata }) => metadata.name)).toEqual(["c"]);
  });

  test("counts what it deletes and what it could not delete, by reason", async () => {
    const counted = await countingWorld();
    await finished("a", "b");
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "pods" },
      times: 1,
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(podGarbageCollectorController({ threshold: 1 }));
    await world.run(PERIOD_MS);
    expect(counted()).toEqual([
      "pod_gc_collector_force_delete_pod_errors_total default terminated",
      "pod_gc_collector_force_delete_pods_total default terminated",
      "pod_gc_collector_force_delete_pods_total default terminated",
    ]);
  });

  test("counts no failure when someone else deletes the pod first", async () => {
    const counted = await countingWorld();
    await finished("a", "b");
    world.server.parts.faults.add({
      target: { verb: "delete", resource: "pods", name: "a" },
      times: 1,
      action: { kind: "interfere", run: async () => world.delete(resources.pods, "a") },
    });
    await world.start(podGarbageCollectorController({ threshold: 1 }));
    expect((await world.list(resources.pods)).map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(counted()).toEqual(["pod_gc_collector_force_delete_pods_total default terminated"]);
  });

  test("follows every 20 seconds", async () => {
    await world.start(podGarbageCollectorController({ threshold: 1 }));
    await finished("a", "b");
    await world.run(PERIOD_MS - 4_000);
    expect(world.takeWrites()).toEqual([]);
    await world.run(4_000);
    expect(world.takeWrites().map(lineOf)).toEqual(["delete pods a"]);
  });
});

interface Scenario {
  /** Nodes that cache and server have from the start, and those that only the server has. */
  readonly nodes?: readonly string[];
  readonly lateNodes?: readonly string[];
  /** name:node:phase */
  readonly pods: string;
  readonly waitMs?: number;
  /** Who alone has the node `node` before the quarantine is over. */
  readonly comesBack?: "server" | "cache";
  /** The node `node` is deleted from the server before the quarantine is over. */
  readonly vanishes?: boolean;
}

async function play(scenario: Scenario): Promise<readonly string[]> {
  for (const name of scenario.nodes ?? []) await addNode(name);
  for (const sketch of scenario.pods.split(" ")) {
    const [name = "", node, phase = ""] = sketch.split(":");
    await world.createWithStatus<Pod>(resources.pods, { ...podNamed(name, node), status: { phase } });
  }
  await world.start(podGarbageCollectorController({ threshold: -1 }));
  if (scenario.comesBack === "cache") {
    await addNode("node");
    await world.run(1_000);
  }
  world.server.parts.faults.holdWatches({ resource: "nodes" });
  for (const name of scenario.lateNodes ?? []) await addNode(name);
  if (scenario.comesBack === "server") await addNode("node");
  if (scenario.comesBack === "cache") await world.delete(resources.nodes, "node");
  if (scenario.vanishes) await world.delete(resources.nodes, "node");
  await world.run(scenario.waitMs ?? ENOUGH_MS);
  return world.takeWrites().map(lineOf);
}

/** A world that tells which counters of this controller were raised, with their labels. */
async function countingWorld(): Promise<() => readonly string[]> {
  const counted: string[] = [];
  const metrics: Metrics = {
    ...noMetrics,
    counter: (options) => ({
      ...noMetrics.counter(options),
      inc: (labels) => void counted.push(`${options.name} ${labels?.["namespace"]} ${labels?.["reason"]}`),
    }),
  };
  await world.stop();
  world = await newWorld({ metrics });
  return () => counted.filter((line) => line.startsWith("pod_gc_collector"));
}

async function addNode(name: string): Promise<void> {
  await world.create<Node>(resources.nodes, { metadata: { name } });
}

async function finished(...names: string[]): Promise<void> {
  for (const name of names) {
    await world.create(resources.pods, podNamed(name));
    await world.markPod(name, "failed");
  }
}

function podNamed(name: string, nodeName?: string): Pod {
  return {
    metadata: { name },
    spec: { containers: [{ name: "c", image: "image" }], ...(nodeName && { nodeName }) },
  };
}
