import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceController } from "./controller.ts";
import { node, podIn, serviceIn } from "./samples.test-data.ts";

const controller = endpointSliceController({ workers: 2, maxEndpointsPerSlice: 3, updatesBatchPeriodMs: 0 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.createWithStatus<Node>(resources.nodes, node("node-1", { zone: "a", cpu: "4" }));
});
afterEach(async () => world.stop());

async function families(): Promise<readonly string[]> {
  const slices = await world.list<EndpointSlice>(resources.endpointSlices);
  return slices.map(({ addressType }) => addressType).toSorted();
}

// upstream: endpointslice/reconciler.go#Reconcile
describe("slices of a family that the Service has no more", () => {
  beforeEach(async () => {
    await serviceIn(world, { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" });
    await podIn(world, 0);
    await world.start(controller);
    expect(await families()).toEqual(["IPv4", "IPv6"]);
    world.takeWrites();
  });

  const shrink = async (): Promise<Service> =>
    world.update<Service>(resources.services, "web", (each) => {
      const { clusterIPs: _, ...spec } = each.spec ?? {};
      return { ...each, spec: { ...spec, ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" } };
    });

  test("go, and nothing else is written", async () => {
    await shrink();
    await world.run();
    expect(await families()).toEqual(["IPv4"]);
    expect(world.takeWrites().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      "delete endpointslices",
    ]);
    await world.run(60_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("that cannot be deleted are told of, hold up no other, and go later", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "endpointslices" },
      action: { kind: "status", when: "before", error: internal("not now") },
    });
    await shrink();
    await podIn(world, 1);
    await world.run();
    expect(await families()).toEqual(["IPv4", "IPv6"]);
    expect(world.takeWrites().map(lineOf)).toContainEqual(expect.stringMatching(/^update endpointslices /));
    expect(await world.events()).toContainEqual(
      expect.stringMatching(
        /^FailedToUpdateEndpointSlices Error updating Endpoint Slices for Service default\/web: error deleting .*not now/,
      ),
    );
    repair();
    await world.run(60_000);
    expect(await families()).toEqual(["IPv4"]);
  });
});
