import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import { forbidden } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointsController } from "./controller.ts";
import { podIn, serviceIn } from "./samples.test-data.ts";

const controller = endpointsController({ workers: 2, updatesBatchPeriodMs: 0 });
const OURS = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("Endpoints that no cache has seen", () => {
  test("go with their Service, though nobody heard the answer to their creation", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "endpoints" });
    world.server.parts.faults.add({
      target: { verb: "create", resource: "endpoints" },
      action: { kind: "disconnect", when: "after" },
      times: 1,
    });
    await podIn(world, 0);
    await world.run();
    await serviceIn(world);
    await world.run(100);
    await world.delete(resources.services, "foo");
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
    release();
    await world.run();
    expect(await addresses()).toBeUndefined();
  });

  test("are made again when somebody deletes them", async () => {
    await world.start(controller);
    await podIn(world, 0);
    await world.run();
    const listAnew = world.hideEvents("endpoints");
    await serviceIn(world);
    await world.run(100);
    await world.delete(resources.endpoints, "foo");
    listAnew();
    await world.run(60_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
  });

  test("are written over when somebody has put others in the place of those that it knows", async () => {
    await podIn(world, 0);
    await serviceIn(world);
    await world.start(controller);
    const listAnew = world.hideEvents("endpoints");
    await world.delete(resources.endpoints, "foo");
    await createEndpoints();
    listAnew();
    await world.run(5_000);
    expect(await addresses()).toEqual(["1.2.3.4"]);
  });
});

describe("Endpoints are left alone", () => {
  test("that got the name of a Service's after that was gone", async () => {
    await podIn(world, 0);
    await serviceIn(world);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "endpoints" });
    await world.delete(resources.endpoints, "foo");
    await createEndpoints();
    await world.delete(resources.services, "foo");
    await world.run();
    release();
    await world.run(600_000);
    expect(await addresses()).toEqual(["10.0.0.1"]);
    // And nobody tries for ever to take what is not his.
    expect(deletions().length).toBeLessThanOrEqual(1);
  });

  test("whose Service the cache has not seen yet", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "services" });
    await serviceIn(world);
    await createEndpoints(OURS);
    await world.run(60_000);
    expect(deletions()).toEqual([]);
    release();
  });

  test("as long as nobody says whether their Service is gone", async () => {
    await createEndpoints();
    const repair = world.server.parts.faults.add({
      target: { verb: "get", resource: "services" },
      action: { kind: "status", when: "before", error: forbidden(resources.services, "foo", "no") },
    });
    await world.start(controller);
    expect(deletions()).toEqual([]);
    repair();
    await world.run(60_000);
    expect(deletions()).toEqual(["delete endpoints foo"]);
  });
});

function deletions(): readonly string[] {
  return world
    .takeWrites()
    .filter(({ verb }) => verb === "delete")
    .map(lineOf);
}

async function createEndpoints(labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await world.create<Endpoints>(resources.endpoints, {
    metadata: { name: "foo", labels },
    subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
  });
}

/** Undefined without Endpoints. */
async function addresses(): Promise<readonly string[] | undefined> {
  const [endpoints] = await world.list<Endpoints>(resources.endpoints);
  return endpoints?.subsets?.flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
}
