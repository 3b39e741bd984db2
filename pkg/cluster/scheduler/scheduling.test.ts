import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../../test/harness/controller-world.ts";
import { resources } from "../../api/resources.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import type { ResourceClaim } from "../../api/types/resource-v1.gen.ts";
import { sleep } from "../../clock/wait.ts";
import { scheduler } from "./scheduler.ts";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

test("a pod whose claim somebody else writes meanwhile is looked at again at once", async () => {
  const room = { cpu: "4", memory: "8Gi", pods: "110" };
  const node = await world.create(resources.nodes, { metadata: { name: "node" } });
  const status = { capacity: room, allocatable: room, conditions: [{ type: "Ready", status: "True" }] };
  await world.client.clientFor(resources.nodes).updateStatus({ ...node, status });
  const claim = await world.create<ResourceClaim>(resources.resourceClaims, {
    metadata: { name: "shared" },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
  });
  const claims = world.client.clientFor<ResourceClaim>(resources.resourceClaims);
  await claims.updateStatus({
    ...claim,
    metadata: { ...claim.metadata },
    status: { allocation: { devices: { results: [{ request: "r", driver: "d", pool: "p", device: "d" }] } } },
  });
  await world.start(scheduler());
  await world.run();
  world.server.parts.faults.add({
    target: { verb: "update", resource: "resourceclaims", subresource: "status" },
    times: 1,
    action: {
      kind: "interfere",
      run: async () => {
        const body = { metadata: { labels: { by: "somebody" } } };
        await claims.patch({ namespace: NAMESPACE, name: "shared" }, { type: "merge", body });
        // The scheduler hears of it before it is told of the conflict.
        await sleep(world.clock, 100);
      },
    },
  });
  await world.create<Pod>(resources.pods, {
    metadata: { name: "web" },
    spec: {
      containers: [{ name: "main", image: "a" }],
      resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }],
    },
  });
  await world.run(1_000);
  const pod = await world.client.clientFor<Pod>(resources.pods).get({ namespace: NAMESPACE, name: "web" });
  expect(pod.spec?.nodeName).toBe("node");
});
