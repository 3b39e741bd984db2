import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld } from "../../test/harness/controller-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { NodesInWorld } from "../../test/harness/nodes-in-world.ts";
import { nodeLifecycleController } from "./controller.ts";
import { settings } from "./samples.test-data.ts";

let world: ControllerWorld;
let nodes: NodesInWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
  nodes = new NodesInWorld(world);
});
afterEach(async () => world.stop());

test("a round in the middle of which the server goes away has failed", async () => {
  for (const name of ["a", "b"]) await nodes.add(name);
  const set = await world.start(nodeLifecycleController(settings));
  const outcomes = (): ReadonlySet<string> => {
    const page = set.debug("node-lifecycle-controller", "/", new URLSearchParams())?.body ?? "[]";
    const queues = JSON.parse(page) as readonly { queue: string; history: readonly { outcome: string }[] }[];
    const rounds = queues.find(({ queue }) => queue === "rounds")?.history ?? [];
    return new Set(rounds.map(({ outcome }) => outcome));
  };
  const repair = world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes" },
    action: { kind: "disconnect", when: "refused" },
  });
  nodes.silence("a");
  await nodes.run(65_000);
  expect(outcomes()).toContain(
    "failed: PATCH /api/v1/nodes/a/status: the connection was closed before an answer came",
  );
  repair();
  await nodes.run(65_000);
  expect(await nodes.condition("a")).toBe("Unknown");
});

test("a node that goes while it is said to be silent ends the round for nobody else", async () => {
  for (const name of ["a", "b", "c"]) await nodes.add(name, { zone: name === "c" ? "y" : "x" });
  await world.start(nodeLifecycleController(settings));
  nodes.silence("a", "b");
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes", subresource: "status", name: "a" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.delete(resources.nodes, "a");
      },
    },
    times: 1,
  });
  await nodes.run(settings.monitorGracePeriodMs + 2 * settings.monitorPeriodMs);
  expect(await nodes.condition("b")).toBe("Unknown");
  expect(told).toEqual([]);
  const events = await world.events();
  expect(events).toContain("NodeNotReady Node b status is now: NodeNotReady");
  expect(events).not.toContain("NodeNotReady Node a status is now: NodeNotReady");
  expect(events).toContain("RemovingNode Node a event: Removing Node a from Controller");
});

test("when no node is ready, taints that cannot be taken off one are taken off the others, and off it when they can", async () => {
  for (const name of ["a", "b"]) await nodes.add(name);
  await nodes.add("c", { zone: "z" });
  await world.start(nodeLifecycleController(settings));
  nodes.silence("a", "b");
  await nodes.run(120_000);
  for (const name of ["a", "b"]) expect(await nodes.taints(name)).toContain("NoExecute");
  const repair = world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes", name: "a", subresource: "" },
    action: { kind: "status", when: "before", error: internal("no") },
  });
  nodes.silence("c");
  await nodes.run(65_000);
  expect(await nodes.condition("c")).toBe("Unknown");
  expect(told).toContain("The taints could not be taken off the node: no");
  expect(await nodes.taints("a")).toContain("NoExecute");
  expect(await nodes.taints("b")).not.toContain("NoExecute");
  repair();
  await nodes.run(2 * settings.monitorPeriodMs);
  expect(await nodes.taints("a")).not.toContain("NoExecute");
});
