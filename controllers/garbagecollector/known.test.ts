import { afterEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { garbageCollectorController } from "./controller.ts";

let world: ControllerWorld;
afterEach(async () => world.stop());

test("nothing is collected before all is known, but one resource does not hold up the others for ever", async () => {
  world = await newWorld();
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "gone" };
  const metadata = { name: "dependent", ownerReferences: [owner] };
  await world.create(resources.configMaps, { metadata });
  world.server.parts.faults.add({
    target: { resource: "secrets" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await world.start(garbageCollectorController({ workers: 1 }));
  await world.run(20_000);
  expect(world.takeWrites()).toEqual([]);
  await world.run(40_000);
  expect(world.takeWrites().map(lineOf)).toEqual(["delete configmaps dependent"]);
});
