import { afterEach, beforeEach, expect, test } from "vitest";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { EXPECTATIONS_TIMEOUT_MS } from "../../pkg/controller/expectations.ts";
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

test("a pod that was counted is not counted again when it is seen to be let go while pods are claimed", async () => {
  const { faults } = world.server.parts;
  await jobs.create({ parallelism: 2, completions: 4 });
  await world.run(5_000);
  const [counted, taken] = await jobs.pods();
  const patchOfTaken = { verb: "patch", resource: "pods", name: taken?.metadata.name ?? "" };
  let letThrough: () => void = () => undefined;
  // Once pods are claimed, the cache learns nothing of the finalizer that is taken off afterwards.
  faults.add({
    target: patchOfTaken,
    action: { kind: "interfere", run: () => void (letThrough = faults.holdWatches({ resource: "pods" })) },
    times: 1,
  });
  await world.update(resources.pods, patchOfTaken.name, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: {} },
  }));
  await world.delete(resources.pods, counted?.metadata.name ?? "");
  await jobs.endDeleted();
  await world.run(1_500);
  const letThroughAndWait = async (): Promise<void> => {
    letThrough();
    await sleep(world.clock, 100);
  };
  faults.add({ target: patchOfTaken, action: { kind: "interfere", run: letThroughAndWait }, times: 1 });
  await world.run(30_000);
  expect((await jobs.pods()).map(({ metadata }) => metadata.name)).not.toContain(counted?.metadata.name);
  expect((await jobs.job()).status?.failed).toBe(1);
});

// upstream: the second Job waits until what is expected of the first has expired.
test("of a Job that was replaced under its name while its pods were made, nothing holds up the second", async () => {
  await jobs.create({ parallelism: 3, completions: 3 });
  world.server.parts.faults.add({
    target: { verb: "create", resource: "pods" },
    action: {
      kind: "interfere",
      run: async () => {
        const first = { namespace: "default", name: "job" };
        await world.client.clientFor(resources.jobs).delete(first, { propagationPolicy: "Background" });
        await jobs.create({ parallelism: 3, completions: 3 });
        await sleep(world.clock, 100);
      },
    },
    times: 1,
  });
  await world.run(20_000);
  const { uid } = (await jobs.job()).metadata;
  const own = (await jobs.pods()).filter((pod) => controllerOf(pod)?.uid === uid);
  expect(own).toHaveLength(3);
});

test("of a Job that was replaced before its pods were made, nothing holds up the second", async () => {
  await jobs.create({ parallelism: 2, completions: 4 });
  await world.run(5_000);
  const [taken] = await jobs.pods();
  const name = taken?.metadata.name ?? "";
  // While the pod is released, before another is made for the first Job.
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "pods", name },
    action: {
      kind: "interfere",
      run: async () => {
        const first = { namespace: "default", name: "job" };
        await world.client.clientFor(resources.jobs).delete(first, { propagationPolicy: "Background" });
        await jobs.create({ parallelism: 2, completions: 4 });
        await sleep(world.clock, 100);
      },
    },
    times: 1,
  });
  await world.update(resources.pods, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
  await world.run(20_000);
  const { uid } = (await jobs.job()).metadata;
  const own = (await jobs.pods()).filter((pod) => controllerOf(pod)?.uid === uid);
  expect(own).toHaveLength(2);
});

test("a pod that came and went unseen is missed at the latest when waiting for it times out", async () => {
  const show = world.hideEvents("pods");
  await jobs.create({ parallelism: 1, completions: 1 });
  await world.run(5_000);
  const [first] = await jobs.pods();
  await world.client
    .clientFor(resources.pods)
    .patch(
      { namespace: "default", name: first?.metadata.name ?? "" },
      { type: "merge", body: { metadata: { finalizers: null } } },
    );
  await world.delete(resources.pods, first?.metadata.name ?? "");
  await jobs.endDeleted();
  expect(await jobs.pods()).toEqual([]);
  show();
  await world.run(EXPECTATIONS_TIMEOUT_MS + 60_000);
  const [second] = await jobs.pods();
  expect(second?.metadata.uid).toBeDefined();
  expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
});

test("the status is not written on what it was before the last write", async () => {
  await jobs.create({ parallelism: 3, completions: 3 });
  await world.run(5_000);
  const release = world.server.parts.faults.holdWatches({ resource: "jobs" });
  await jobs.end("Succeeded", 1);
  await world.run(3_000);
  await jobs.end("Succeeded", 1);
  await world.run(3_000);
  expect(world.takeWrites().filter(({ status }) => status === 409)).toEqual([]);
  release();
  await world.run(10_000);
  expect(await jobs.counts()).toBe("1 0 2 0 0");
});
