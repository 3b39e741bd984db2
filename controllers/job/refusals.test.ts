import { afterEach, beforeEach, expect, test } from "vitest";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { JobInWorld } from "../../test/harness/job-in-world.ts";
import { jobController } from "./controller.ts";

let world: ControllerWorld;
let jobs: JobInWorld;
beforeEach(async () => {
  world = await newWorld();
  jobs = new JobInWorld(world);
  await world.start(jobController({ workers: 2 }));
});
afterEach(async () => world.stop());

/** Refuses what a Job does to its pods; returns the way to let it through again. */
function refuse(verb: "create" | "delete", times?: number): () => void {
  return world.server.parts.faults.add({
    target: { verb, resource: "pods" },
    action: { kind: "status", when: "before", error: internal("down") },
    ...(times !== undefined && { times }),
  });
}

// What was refused happens with the next try; expectations that were left would hold it up for five minutes.
test("pods that could not be created are created with the next try", async () => {
  const repair = refuse("create");
  await jobs.create({ parallelism: 3, completions: 3 });
  await world.run(3_000);
  expect(await jobs.pods()).toEqual([]);
  repair();
  await world.run(15_000);
  expect(await jobs.pods()).toHaveLength(3);
});

test("of pods of which one could not be created, the others are not created again", async () => {
  refuse("create", 1);
  await jobs.create({ parallelism: 3, completions: 3 });
  await world.run(15_000);
  expect(await jobs.pods()).toHaveLength(3);
});

test("pods that could not be deleted are deleted with the next try", async () => {
  await jobs.create({ parallelism: 3, completions: 9 });
  await world.run(5_000);
  const repair = refuse("delete");
  await jobs.change({ parallelism: 1 });
  await world.run(3_000);
  expect(await jobs.active()).toHaveLength(3);
  repair();
  await world.run(15_000);
  expect(await jobs.active()).toHaveLength(1);
});

test("a Job whose pods could not all be ended waits for them, and says so", async () => {
  await jobs.create({ parallelism: 2, completions: 4, activeDeadlineSeconds: 10 });
  await world.run(5_000);
  const repair = refuse("delete", 1);
  await world.run(7_000);
  repair();
  await world.run(10_000);
  expect(await jobs.active()).toEqual([]);
  await jobs.endDeleted();
  await world.run(10_000);
  expect(await jobs.conditions()).toBe("FailureTarget Failed");
  expect(await jobs.counts()).toBe("0 0 0 2 0");
});
