import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { QuotasInWorld } from "../../test/harness/quotas-in-world.ts";

// upstream: pkg/controller/resourcequota/resource_quota_controller.go#NewController and resource_quota_monitor.go#NewMonitor
// name the queues, and dashboards know them by these names.

let world: ControllerWorld;
let quotas: QuotasInWorld;
let metrics: ExposedMetrics;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  world = await newWorld({ metrics });
  quotas = new QuotasInWorld(world);
  await quotas.createPods("a", "b", "c");
  await quotas.start();
});
afterEach(async () => world.stop());

test("a new quota is urgent; what gives room comes by way of the changes", async () => {
  await quotas.createQuota({ pods: "5" });
  await world.run();
  expect(await added()).toEqual({ resourcequota_priority: 1 });
  await quotas.deletePod("a");
  await world.run();
  expect(await added()).toEqual({
    resourcequota_priority: 1,
    resourcequota_primary: 1,
    resource_quota_controller_resource_changes: 1,
  });
});

test("what gives room in another namespace, or in nothing that is limited, wakes nobody", async () => {
  await quotas.createQuota({ pods: "5" });
  const client = world.client.clientFor(resources.configMaps);
  for (const namespace of [NAMESPACE, "other"]) await client.create({ metadata: { name: "c", namespace } });
  await world.run();
  for (const namespace of [NAMESPACE, "other"]) await client.delete({ namespace, name: "c" });
  await world.run();
  expect(await added()).toEqual({ resourcequota_priority: 1 });
});

/** Keys that each queue was given so far, without those that were given none. */
async function added(): Promise<Readonly<Record<string, number>>> {
  const samples = (await metrics.expose()).matchAll(/^workqueue_adds_total\{name="(.+)"\} (\d+)$/gm);
  const counts = Array.from(samples, ([, name = "", count]): [string, number] => [name, Number(count)]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
