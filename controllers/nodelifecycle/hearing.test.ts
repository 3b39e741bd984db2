import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { forbidden, internal } from "../../pkg/apiserver/server/status-error.ts";
import { type Transport, TransportError } from "../../pkg/client/transport.ts";
import {
  type ControllerWorld,
  lineOf,
  newWorld,
  type WorldOptions,
} from "../../test/harness/controller-world.ts";
import { NodesInWorld } from "../../test/harness/nodes-in-world.ts";
import { nodeLifecycleController } from "./controller.ts";
import { settings } from "./samples.test-data.ts";

/** Whoever seems to be silent is given a hearing: what the caches do not know, the server may. */
const PERIOD_MS = settings.monitorPeriodMs;

let world: ControllerWorld;
let nodes: NodesInWorld;
/** With what the Leases were listed, past the cache. */
let lists: string[];
let isAway: boolean;

async function begin(options: WorldOptions = {}): Promise<void> {
  lists = [];
  isAway = false;
  const transport = (server: Transport): Transport => ({
    send: async (request, signal) => {
      const isTest = request.headers?.["user-agent"]?.endsWith("/test") === true;
      if (isAway && !isTest) throw new TransportError("refused", "the API server is away", false);
      const { method, path, query } = request;
      const isList = method === "GET" && path.endsWith("/leases") && query?.has("watch") !== true;
      if (isList && !isTest) lists.push(String(query));
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
  world = await newWorld({ transport, ...options });
  nodes = new NodesInWorld(world);
}

beforeEach(async () => begin());
afterEach(async () => world.stop());

async function start(changes: Partial<typeof settings> = {}): Promise<void> {
  await world.start(nodeLifecycleController({ ...settings, ...changes }));
  lists.length = 0;
}

function writes(): readonly string[] {
  return world.takeWrites().map(lineOf).toSorted();
}

test("nobody is asked while all Leases are renewed", async () => {
  for (const name of ["a", "b", "c"]) await nodes.add(name);
  await start();
  await nodes.run(300_000);
  expect(lists).toEqual([]);
});

describe("with a watch of Leases that is stuck", () => {
  test("no healthy node becomes not ready, and the server is asked once in a grace period", async () => {
    for (const name of ["a", "b", "c"]) await nodes.add(name);
    await start();
    world.server.parts.faults.holdWatches({ resource: "leases" });
    await nodes.run(600_000);
    expect(writes()).toEqual([]);
    expect(lists.length).toBeGreaterThan(8);
    expect(lists.length).toBeLessThan(13);
    expect(new Set(lists)).toEqual(new Set(["limit=500"]));
  });

  test("a node that is dead is found all the same", async () => {
    for (const name of ["a", "b", "c"]) await nodes.add(name);
    await start();
    world.server.parts.faults.holdWatches({ resource: "leases" });
    await nodes.run(100_000);
    nodes.silence("b");
    await nodes.run(115_000);
    expect(await nodes.condition("b")).toBe("Unknown");
    expect(await nodes.condition("a")).toBe("True");
    expect(await nodes.condition("c")).toBe("True");
  });
});

test("a node whose status the cache has yet to see is asked for itself", async () => {
  for (const name of ["a", "b"]) await nodes.add(name, { lease: false });
  nodes.silence("a", "b");
  await start();
  world.server.parts.faults.holdWatches({ resource: "nodes" });
  await nodes.run(40_000);
  await nodes.report("a", "True");
  await nodes.run(15_000);
  expect(await nodes.condition("a")).toBe("True");
  expect(await nodes.condition("b")).toBe("Unknown");
  // It was heard then, and its time runs from there.
  await nodes.run(60_000);
  expect(await nodes.condition("a")).toBe("Unknown");
});

test.each([
  ["refused", forbidden(resources.leases, "", "no")],
  ["failing", internal("the Leases cannot be read")],
])("Leases that cannot be listed (%s) give the node as much time again", async (_, error) => {
  for (const name of ["a", "b"]) await nodes.add(name);
  await start();
  world.server.parts.faults.add({
    target: { verb: "list", resource: "leases" },
    action: { kind: "status", when: "before", error },
  });
  nodes.silence("a");
  await nodes.run(90_000);
  expect(await nodes.condition("a")).toBe("True");
  await nodes.run(25_000);
  expect(await nodes.condition("a")).toBe("Unknown");
  expect(await nodes.condition("b")).toBe("True");
});

test("a server that was away gives all nodes their grace period again", async () => {
  for (const name of ["a", "b", "c"]) await nodes.add(name);
  await nodes.addPod("p", "a");
  await start();
  isAway = true;
  world.server.parts.faults.holdWatches({ resource: "leases" });
  nodes.silence("a", "b", "c");
  await nodes.run(300_000);
  isAway = false;
  await nodes.run(2 * PERIOD_MS);
  await nodes.revive("a", "b");
  await nodes.run(30_000);
  expect(await nodes.condition("a")).toBe("True");
  expect(await nodes.podReady("p")).toBe("True");
  expect(writes()).toEqual([]);
  await nodes.run(30_000);
  expect(await nodes.condition("c")).toBe("Unknown");
  expect(await nodes.condition("b")).toBe("True");
});

describe("what somebody else writes at the same time", () => {
  test("to the node: a sign of life counts, at the last moment too", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await start();
    nodes.silence("a");
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", subresource: "status", name: "a" },
      times: 1,
      action: { kind: "interfere", run: async () => nodes.report("a", "True") },
    });
    await nodes.run(65_000);
    expect(await nodes.condition("a")).toBe("True");
    await nodes.run(50_000);
    expect(await nodes.condition("a")).toBe("Unknown");
  });

  test("to the node: what is no sign of life does not", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await start();
    nodes.silence("a");
    let labelled = 0;
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", subresource: "status", name: "a" },
      times: 2,
      action: { kind: "interfere", run: async () => label("a", `${++labelled}`) },
    });
    await nodes.run(65_000);
    expect(labelled).toBe(2);
    expect(await nodes.condition("a")).toBe("Unknown");
  });

  test("to the taints: those of others stay", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await start();
    nodes.silence("a");
    const own = { key: "example.com/own", effect: "NoSchedule" };
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", name: "a", subresource: "" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          await world.update(resources.nodes, "a", (node) => ({
            ...node,
            spec: { ...node.spec, taints: [own] },
          }));
        },
      },
    });
    await nodes.run(70_000);
    const taints = (await nodes.get("a")).spec?.taints?.map(({ key, effect }) => `${key} ${effect}`);
    expect(taints?.toSorted()).toEqual([
      "example.com/own NoSchedule",
      "node.kubernetes.io/unreachable NoExecute",
      "node.kubernetes.io/unreachable NoSchedule",
    ]);
  });

  test("to the pod: it is marked all the same", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await nodes.addPod("p", "a");
    await start();
    nodes.silence("a");
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods", subresource: "status", name: "p" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          const labels = { touched: "yes" };
          await world.update(resources.pods, "p", (pod) => ({
            ...pod,
            metadata: { ...pod.metadata, labels },
          }));
        },
      },
    });
    await nodes.run(65_000);
    expect(await nodes.podReady("p")).toBe("False");
    expect((await world.get(resources.pods, "p")).metadata.labels).toEqual({ touched: "yes" });
  });

  async function label(name: string, value: string): Promise<void> {
    await world.update(resources.nodes, name, (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, turn: value } },
    }));
  }
});

describe("what is refused", () => {
  test("is tried again in the next round, and the rest is done: a pod", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    for (const name of ["p", "q", "r"]) await nodes.addPod(name, "a");
    await start();
    nodes.silence("a");
    const repair = refuse("pods", "q");
    await nodes.run(65_000);
    expect(await nodes.podReady("p")).toBe("False");
    expect(await nodes.podReady("q")).toBe("True");
    expect(await nodes.podReady("r")).toBe("False");
    expect(await nodes.taints("a")).toContain("NoExecute");
    world.takeWrites();
    repair();
    await nodes.run(PERIOD_MS);
    expect(await nodes.podReady("q")).toBe("False");
    // The others are not marked again.
    expect(writes()).toEqual(["patch pods/status q"]);
  });

  test("is tried again when the node speaks again meanwhile, and is not ready: a pod", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await nodes.addPod("p", "a");
    await start();
    nodes.silence("a");
    const repair = refuse("pods", "p");
    await nodes.run(65_000);
    await nodes.report("a", "False");
    await nodes.run(2 * PERIOD_MS);
    expect(await nodes.podReady("p")).toBe("True");
    repair();
    await nodes.run(PERIOD_MS);
    expect(await nodes.podReady("p")).toBe("False");
  });

  test("is tried again in the next round: the status of the node", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await nodes.addPod("p", "a");
    await start();
    nodes.silence("a");
    const repair = refuse("nodes", "a");
    await nodes.run(65_000);
    expect(await nodes.condition("a")).toBe("True");
    expect(await nodes.podReady("p")).toBe("True");
    expect(await nodes.taints("a")).toBe("");
    repair();
    await nodes.run(PERIOD_MS);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.podReady("p")).toBe("False");
  });

  test("counts as down when it is silent: a cluster of which nothing can be written is not emptied", async () => {
    await nodes.add("a", { zone: "x" });
    await nodes.add("b", { zone: "y" });
    await start();
    nodes.silence("a", "b");
    refuse("nodes", "b");
    await nodes.run(75_000);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.taints("a")).toBe("unreachable:NoSchedule");
  });

  test("puts nobody else off: a node that cannot be tainted", async () => {
    for (const name of ["a", "b", "c"]) await nodes.add(name, { zone: name === "c" ? "y" : "x" });
    await start();
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", name: "a", subresource: "" },
      action: { kind: "status", when: "before", error: internal("no") },
    });
    nodes.silence("a", "b");
    await nodes.run(75_000);
    expect(await nodes.taints("a")).toBe("");
    expect(await nodes.taints("b")).toContain("NoExecute");
    repair();
    await nodes.run(60_000);
    expect(await nodes.taints("a")).toContain("NoExecute");
  });

  function refuse(resource: string, name: string): () => void {
    return world.server.parts.faults.add({
      target: { verb: "patch", resource, name, subresource: "status" },
      action: { kind: "status", when: "before", error: internal("no") },
    });
  }
});

describe("a name that is used again", () => {
  test("is another node: it has its own grace period", async () => {
    await nodes.add("b");
    await nodes.add("a", { ready: null, lease: false });
    nodes.silence("a");
    await start();
    await nodes.run(45_000);
    await world.delete(resources.nodes, "a");
    await nodes.add("a", { ready: null, lease: false });
    nodes.silence("a");
    await nodes.run(45_000);
    expect(await nodes.condition("a")).toBe("");
    await nodes.run(25_000);
    expect(await nodes.condition("a")).toBe("Unknown");
  });

  test("is another node: it has not the other's turn to be emptied", async () => {
    for (const name of ["a", "b", "c", "d"]) await nodes.add(name, { zone: name === "d" ? "y" : "x" });
    await start({ evictionRate: 0.02 });
    nodes.silence("a", "b", "c");
    await nodes.run(65_000);
    const waiting = ["a", "b", "c"];
    const taints = await Promise.all(waiting.map(async (name) => nodes.taints(name)));
    const name = waiting.find((_, index) => !taints[index]?.includes("NoExecute")) ?? "";
    const hide = world.hideEvents("nodes");
    await world.delete(resources.nodes, name);
    await nodes.add(name, { zone: "x" });
    hide();
    await nodes.run(200_000);
    expect(await nodes.taints(name)).toBe("");
    expect(await nodes.condition(name)).toBe("True");
  });

  test("is another node: pods of the first are marked when it is never heard of", async () => {
    await nodes.add("b");
    await nodes.add("a");
    await nodes.addPod("p", "a");
    await start();
    await world.delete(resources.nodes, "a");
    await nodes.add("a", { ready: null, lease: false });
    nodes.silence("a");
    await nodes.run(55_000);
    expect(await nodes.podReady("p")).toBe("True");
    await nodes.run(15_000);
    expect(await nodes.condition("a")).toBe("Unknown");
    expect(await nodes.podReady("p")).toBe("False");
  });

  test("is another node: what was decided for the first is not written to it", async () => {
    await nodes.add("b");
    await nodes.add("a");
    await start();
    nodes.silence("a");
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes", subresource: "status", name: "a" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.nodes, "a");
          await nodes.add("a");
        },
      },
    });
    await nodes.run(65_000);
    expect(await nodes.condition("a")).toBe("True");
    await nodes.run(30_000);
    expect(await nodes.taints("a")).toBe("");
  });

  test("is another pod: it is not marked for the first", async () => {
    for (const name of ["a", "b"]) await nodes.add(name);
    await nodes.addPod("p", "a");
    await start();
    nodes.silence("a");
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods", subresource: "status", name: "p" },
      times: 1,
      action: {
        kind: "interfere",
        run: async () => {
          const options = { gracePeriodSeconds: 0 };
          await world.client.clientFor(resources.pods).delete({ namespace: "default", name: "p" }, options);
          await nodes.addPod("p", "b");
        },
      },
    });
    await nodes.run(75_000);
    expect(await nodes.podReady("p")).toBe("True");
  });
});
