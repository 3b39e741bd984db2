import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { disruptionController } from "./controller.ts";
import { budget, LABELS } from "./samples.test-data.ts";

// upstream: pkg/controller/disruption/disruption.go#NewDisruptionControllerInternal names the queues, and dashboards know
// them by these names.

const TIMEOUT_MS = 2 * 60_000;

let world: ControllerWorld;
let metrics: ExposedMetrics;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  world = await newWorld({ metrics });
  const { metadata, ...rest } = budget({ minAvailable: 1 });
  const { uid: _, ...named } = metadata;
  await world.create(resources.podDisruptionBudgets, { ...rest, metadata: named });
  await world.create(resources.pods, {
    metadata: { name: "pod", labels: LABELS },
    spec: { nodeName: "node", containers: [{ name: "main", image: "image" }] },
  });
  await world.markPod("pod", "ready");
  await world.start(disruptionController());
});
afterEach(async () => world.stop());

/** Keys that each queue was given so far, in whatever way. */
async function added(): Promise<Readonly<Record<string, number>>> {
  const samples = (await metrics.expose()).matchAll(/^workqueue_adds_total\{name="(.+)"\} (\d+)$/gm);
  return Object.fromEntries(
    Array.from(samples, ([, name = "", count]): [string, number] => [name, Number(count)]),
  );
}

async function disrupted(): Promise<readonly string[]> {
  const { status } = await world.get(resources.podDisruptionBudgets, "foobar");
  return Object.keys(status?.disruptedPods ?? {});
}

test("a budget that waits for a deletion is in the queue of rechecks, and goes from there to its own", async () => {
  const current = await world.get(resources.podDisruptionBudgets, "foobar");
  await world.client.clientFor(resources.podDisruptionBudgets).updateStatus({
    ...current,
    status: { ...current.status, disruptedPods: { pod: formatTime(world.clock.nowMs()) } },
  });
  await world.run(TIMEOUT_MS - 10_000);
  const before = await added();
  expect(before).toMatchObject({ disruption_recheck: 0, stale_pod_disruption: 0 });
  expect(await disrupted()).toEqual(["pod"]);
  await world.run(20_000);
  const after = await added();
  expect(after).toMatchObject({ disruption_recheck: 1, stale_pod_disruption: 0 });
  // The recheck itself, and what its write brings about.
  expect((after["disruption"] ?? 0) - (before["disruption"] ?? 0)).toBe(2);
  expect(await disrupted()).toEqual([]);
});

test("a pod whose disruption was announced is in a queue of its own", async () => {
  const { disruption } = await added();
  const announced = {
    type: "DisruptionTarget",
    status: "True",
    lastTransitionTime: formatTime(world.clock.nowMs()),
  };
  await world.client
    .clientFor(resources.pods)
    .patch(
      { namespace: NAMESPACE, name: "pod" },
      { type: "strategic", body: { status: { conditions: [announced] } } },
      { subresource: "status" },
    );
  await world.run(TIMEOUT_MS - 10_000);
  expect(await added()).toEqual({
    disruption: (disruption ?? 0) + 1,
    disruption_recheck: 0,
    stale_pod_disruption: 0,
  });
  await world.run(20_000);
  expect(await added()).toMatchObject({ disruption_recheck: 0, stale_pod_disruption: 1 });
});
