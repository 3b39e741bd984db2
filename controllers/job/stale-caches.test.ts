import { afterEach, beforeEach, expect, test } from "vitest";
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

const writesOfStatus = (): number => world.takeWrites().filter(({ resource }) => resource === "jobs").length;

// upstream: test/integration/job/job_test.go#TestDelayedJobUpdateEvent
test.each([
  ["Succeeded", { completions: 1 }, "SuccessCriteriaMet Complete", "0 0 1 0 0"],
  ["Failed", { completions: 1, backoffLimit: 0 }, "FailureTarget Failed", "0 0 0 1 0"],
] as const)(
  "a Job that has ended (pods have %s) is not written again before its cache knows",
  async (phase, spec, conditions, counts) => {
    await jobs.create(spec);
    await world.run(5_000);
    const release = world.server.parts.faults.holdWatches({ resource: "jobs" });
    await jobs.end(phase, 1);
    await world.run(3_000);
    expect(await jobs.conditions()).toBe(conditions);
    world.takeWrites();
    await world.run(20_000);
    expect(writesOfStatus()).toBe(0);
    release();
    await world.run(20_000);
    expect(writesOfStatus()).toBe(0);
    expect(await jobs.counts()).toBe(counts);
  },
);

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobExpectations, #TestWatchPods
test("no pod is created twice though the cache of pods is late", async () => {
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await jobs.create({ parallelism: 3, completions: 3 });
  await world.run(10_000);
  expect(await jobs.pods()).toHaveLength(3);
  release();
  await world.run(10_000);
  expect(await jobs.pods()).toHaveLength(3);
  expect(await jobs.counts()).toBe("3 0 0 0 0");
});
