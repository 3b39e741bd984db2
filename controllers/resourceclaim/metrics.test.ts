import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { ClaimsInWorld } from "../../test/harness/claims-in-world.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { resourceClaimController } from "./controller.ts";

let world: ControllerWorld;
let it: ClaimsInWorld;
let metrics: ReturnType<typeof createMetrics>;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: metrics.main });
  it = new ClaimsInWorld(world);
  await world.start(resourceClaimController({ workers: 5 }));
});
afterEach(async () => world.stop());

async function known(): Promise<readonly string[]> {
  await world.run();
  const shown = await metrics.main.expose();
  return [...shown.matchAll(/^resourceclaim_controller_resource_claims\{(.*)\} (\d+)/gm)]
    .map(([, labels = "", count = ""]) => `${labels} ${count}`)
    .toSorted();
}

const series = (allocated: boolean, admin: boolean, source = ""): string =>
  `admin_access="${admin}",allocated="${allocated}",source="${source}"`;

// upstream: pkg/controller/resourceclaim/controller_test.go#TestResourceClaimEventHandler
test("claims are counted by what they are, and no longer when they are gone", async () => {
  expect(await known()).toEqual([]);
  const first = await it.claim({ name: "first" });
  await it.claim({ name: "second", isAllocated: true });
  expect(await known()).toEqual([`${series(false, false)} 1`, `${series(true, false)} 1`]);

  const claims = world.client.clientFor<ResourceClaim>(resources.resourceClaims);
  await claims.update({ ...first, metadata: { ...first.metadata, labels: { foo: "bar" } } });
  await world.update(resources.resourceClaims, "second", (claim) => claim);
  expect(await known()).toEqual([`${series(false, false)} 1`, `${series(true, false)} 1`]);

  const second = await claims.get({ namespace: "default", name: "second" });
  await claims.updateStatus({ ...second, status: {} });
  expect(await known()).toEqual([`${series(false, false)} 2`]);
  await world.delete(resources.resourceClaims, "first");
  await world.delete(resources.resourceClaims, "second");
  expect(await known()).toEqual([]);
});

test("it is told what has made them", async () => {
  await it.claim({ name: "a", annotations: { "resource.kubernetes.io/pod-claim-name": "web" } });
  await it.claim({ name: "b", annotations: { "resource.kubernetes.io/pod-claim-name": "" } });
  await it.claim({ name: "c", annotations: { "resource.kubernetes.io/extended-resource-claim": "true" } });
  await it.claim({
    name: "d",
    isAllocated: true,
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
  });
  await it.claim({ name: "e", annotations: { "resource.kubernetes.io/extended-resource-claim": "false" } });
  expect(await known()).toEqual(
    [
      `${series(false, false)} 2`,
      `${series(false, false, "extended_resource")} 1`,
      `${series(false, false, "resource_claim_template")} 1`,
      `${series(true, false, "extended_resource")} 1`,
    ].toSorted(),
  );
});

test("the queues of pods and claims are one in the metrics", async () => {
  await it.template();
  await it.pod();
  await world.run();
  const shown = await metrics.main.expose();
  expect(/^workqueue_adds_total\{name="resource_claim"\} (\d+)/m.exec(shown)?.[1]).not.toBe("0");
});
