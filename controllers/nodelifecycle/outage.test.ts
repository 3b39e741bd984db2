import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { NodesInWorld } from "../../test/harness/nodes-in-world.ts";
import { nodeLifecycleController } from "./controller.ts";
import { settings } from "./samples.test-data.ts";

let world: ControllerWorld;
let nodes: NodesInWorld;
beforeEach(async () => {
  world = await newWorld();
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
