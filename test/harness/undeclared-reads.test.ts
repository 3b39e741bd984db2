import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { World } from "../sim/world/world.ts";
import { NAMESPACE, newWorld } from "./controller-world.ts";

/** Reads in a sync what it has not declared, and goes on as if nothing had been. */
const careless = defineController({ name: "careless-controller" }, (kit) => {
  const pods = kit.reads(resources.pods, { fields: ["spec.nodeName"] });
  let syncs = 0;
  kit.ownerQueue({
    name: "pods",
    workers: 1,
    owners: pods,
    // Types would not let it.
    sync: async ({ owner }) => (++syncs === 1 && owner.status !== undefined ? {} : {}),
  });
});

const SAYS = "careless-controller reads status of pods, which it has not declared";

const pod: Pod = {
  metadata: { name: "a", namespace: NAMESPACE },
  spec: { nodeName: "n", containers: [{ name: "main", image: "main:1" }] },
};

test("a world whose controller has read what it has not declared fails in the end", async () => {
  const world = await newWorld();
  await world.start(careless());
  await world.create(resources.pods, pod);
  await world.run();
  await expect(world.stop()).rejects.toThrow(SAYS);
  await world.stop();
});

test("a simulated cluster says so once", async () => {
  const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  const world = new World({
    seed: 1,
    managers: 1,
    nodes: 1,
    timing,
    descriptors: () => [careless()],
    traced: false,
    untilViolation: false,
  });
  await world.start();
  const created = world.user.clientFor(resources.pods).create(pod);
  await world.pass(30_000);
  await created;
  await world.end();
  expect(world.violations).toEqual([expect.stringContaining(SAYS)]);
});

test("an index that reads what its consumer has not declared is found out, though another one has declared it", async () => {
  const world = await newWorld();
  const other = defineController({ name: "other-controller" }, (kit) => {
    const pods = kit.reads(resources.pods, { fields: ["status"] });
    kit.ownerQueue({ name: "pods", workers: 1, owners: pods, sync: async () => ({}) });
  });
  const indexing = defineController({ name: "careless-controller" }, (kit) => {
    const pods = kit.reads(resources.pods, { fields: ["spec.nodeName"] });
    // Types would not let it.
    pods.addIndex("phase", (pod) => [(pod as Pod).status?.phase ?? ""]);
    kit.ownerQueue({ name: "pods", workers: 1, owners: pods, sync: async () => ({}) });
  });
  await world.start(other(), indexing());
  await world.create(resources.pods, pod);
  await world.run();
  await expect(world.stop()).rejects.toThrow(SAYS);
  await world.stop();
});
