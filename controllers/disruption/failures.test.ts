import { afterEach, beforeEach, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { podCondition } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, lineOf, NAMESPACE } from "../../test/harness/controller-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { disruptionController } from "./controller.ts";
import { budget, LABELS } from "./samples.test-data.ts";

const controller = disruptionController();

let world: ControllerWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
});
afterEach(async () => world.stop());

async function createPod(name: string): Promise<Pod> {
  const made = await world.create<Pod>(resources.pods, {
    metadata: { name, labels: LABELS },
    spec: { nodeName: "node", containers: [{ name: "main", image: "image" }] },
  });
  await world.markPod(name, "ready");
  return made;
}

// upstream: pkg/controller/disruption/disruption.go#trySync, #failSafe
test("a budget whose selector cannot be read allows no eviction any more, says why, and is left at that", async () => {
  await createPod("one");
  const before = { disruptionsAllowed: 5, currentHealthy: 5, desiredHealthy: 0, expectedPods: 5 };
  const selector = { matchExpressions: [{ key: "foo", operator: "Like" }] };
  world.keep(resources.podDisruptionBudgets, budget({ minAvailable: 0, selector }, before));
  await world.start(controller);
  await world.run(60_000);
  const { status } = await world.get(resources.podDisruptionBudgets, "foobar");
  expect(status?.disruptionsAllowed).toBe(0);
  expect(findCondition(status?.conditions, "DisruptionAllowed")).toMatchObject({
    status: "False",
    reason: "SyncFailed",
    message: expect.stringContaining("Like") as unknown,
  });
  expect(await world.events()).toEqual([expect.stringMatching(/^NoPods Failed to get pods: .*Like/)]);
  const writes = world.takeWrites().map(lineOf);
  expect(writes.filter((line) => !line.includes("events"))).toEqual([
    "update poddisruptionbudgets/status foobar",
  ]);
});

/** Announces that the pod is about to be disrupted. */
async function announce(name: string): Promise<void> {
  const lastTransitionTime = formatTime(world.clock.nowMs());
  const condition = { type: "DisruptionTarget", status: "True", reason: "Eviction", lastTransitionTime };
  const body = { status: { conditions: [condition] } };
  await world.client
    .clientFor(resources.pods)
    .patch({ namespace: NAMESPACE, name }, { type: "strategic", body }, { subresource: "status" });
}

test("an announcement is taken back from nobody when the pod has gone, or is another's by now", async () => {
  await world.start(controller);
  for (const name of ["one", "other"]) {
    await createPod(name);
    await announce(name);
  }
  const replace = (name: string, run: () => Promise<void>): void => {
    const target = { verb: "patch", resource: "pods", subresource: "status", name };
    world.server.parts.faults.add({ target, action: { kind: "interfere", run }, times: 1 });
  };
  await world.run(60_000);
  const end = async (name: string): Promise<void> => {
    const ref = { namespace: NAMESPACE, name };
    await world.client.clientFor(resources.pods).delete(ref, { gracePeriodSeconds: 0 });
  };
  replace("one", async () => end("one"));
  replace("other", async () => {
    await end("other");
    await createPod("other");
    await announce("other");
  });
  world.takeWrites();
  await world.run(65_000);
  const lines = world.takeWrites().map(lineOf);
  expect(lines.filter((line) => line.endsWith(" one"))).toEqual(["patch pods/status one"]);
  expect(told.filter((line) => line.includes("one"))).toEqual([]);
  const other = await world.get<Pod>(resources.pods, "other");
  expect(podCondition(other, "DisruptionTarget")?.status).toBe("True");
});
