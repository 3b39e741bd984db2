import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CronJob, CronJobSpec, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { cronJobController } from "./controller.ts";
import { jobNameFor } from "./job-from-template.ts";
import { atMinute, cronJob } from "./samples.test-data.ts";

const controller = cronJobController({ workers: 2, localTimeZone: () => "UTC" });
const MINUTE_MS = 60_000;
const EVERY_MINUTE: Partial<CronJobSpec> = { schedule: "* * * * *" };

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

test("no time zone is looked up before there is a CronJob", async () => {
  let lookUps = 0;
  const localTimeZone = (): string => {
    lookUps++;
    return "UTC";
  };
  await world.start(cronJobController({ workers: 2, localTimeZone }));
  await world.run(MINUTE_MS);
  expect(lookUps).toBe(0);
  await create(EVERY_MINUTE);
  await world.run(2 * MINUTE_MS);
  expect(lookUps).toBe(1);
});

describe("a Job", () => {
  test("starts at its minute, once, under the name of that minute", async () => {
    await world.start(controller);
    const owner = await create(EVERY_MINUTE);
    await world.run(59_000);
    const [first] = await jobs();
    const startMs =
      Math.ceil(Date.parse(owner.metadata.creationTimestamp ?? "") / MINUTE_MS + 1e-9) * MINUTE_MS;
    expect(first?.metadata.name).toBe(jobNameFor(asStored(owner), startMs));
    const { status } = await world.get(resources.cronJobs, "mycronjob");
    expect(status?.lastScheduleTime).toBe(formatTime(startMs));
    expect(status?.active?.map(({ name }) => name)).toEqual([first?.metadata.name]);
    expect(linesOf()).toEqual(["create jobs", "update cronjobs/status mycronjob"]);
    await world.run(2 * MINUTE_MS);
    expect(await jobs()).toHaveLength(3);
    expect((await world.events())[0]).toBe(`SuccessfulCreate Created job ${first?.metadata.name ?? ""}`);
  });

  // upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob ("create job failed")
  test("that was started and not listed before a crash is listed, and not started again", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "cronjobs", subresource: "status" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(controller);
    await create(EVERY_MINUTE);
    await world.run(61_000);
    await world.stop();
    repair();
    await world.start(controller);
    expect(await jobs()).toHaveLength(1);
    expect((await world.get(resources.cronJobs, "mycronjob")).status?.active).toHaveLength(1);
  });

  test("of somebody else under that name is left alone, and the next minute is served", async () => {
    const owner = await create(EVERY_MINUTE);
    const nextMs = Math.ceil((world.clock.nowMs() + 1) / MINUTE_MS) * MINUTE_MS;
    await world.create<Job>(resources.jobs, {
      metadata: { name: jobNameFor(asStored(owner), nextMs) },
      ...(owner.spec.jobTemplate.spec && { spec: owner.spec.jobTemplate.spec }),
    });
    await world.start(controller);
    await world.run(90_000);
    expect((await world.get(resources.cronJobs, "mycronjob")).status?.active ?? []).toEqual([]);
    await world.run(MINUTE_MS);
    expect((await world.get(resources.cronJobs, "mycronjob")).status?.active).toHaveLength(1);
  });

  test("that still runs is replaced when the policy says so", async () => {
    await world.start(controller);
    await create({ ...EVERY_MINUTE, concurrencyPolicy: "Replace" });
    await world.run(61_000);
    const [first] = await jobs();
    await world.run(MINUTE_MS);
    const [second, ...others] = await jobs();
    expect(others).toEqual([]);
    expect(second?.metadata.name).not.toBe(first?.metadata.name);
    const { status } = await world.get(resources.cronJobs, "mycronjob");
    expect(status?.active?.map(({ name }) => name)).toEqual([second?.metadata.name]);
  });

  test("that still runs keeps others from starting when the policy says so", async () => {
    await world.start(controller);
    await create({ ...EVERY_MINUTE, concurrencyPolicy: "Forbid" });
    await world.run(3 * MINUTE_MS);
    expect(await jobs()).toHaveLength(1);
    expect((await world.events()).some((event) => event.startsWith("JobAlreadyActive"))).toBe(true);
    await finish((await jobs())[0], "Complete");
    await world.run();
    expect((await world.get(resources.cronJobs, "mycronjob")).status?.lastSuccessfulTime).toBeDefined();
    await world.run(MINUTE_MS);
    expect(await jobs()).toHaveLength(2);
  });

  test("that vanished is taken off the list", async () => {
    await world.start(controller);
    await create({ ...EVERY_MINUTE, suspend: false });
    await world.run(61_000);
    await world.update<CronJob>(resources.cronJobs, "mycronjob", suspended);
    const [first] = await jobs();
    const name = first?.metadata.name ?? "";
    await world.client
      .clientFor(resources.jobs)
      .delete({ namespace: NAMESPACE, name }, { propagationPolicy: "Background" });
    expect((await world.events()).at(-1)).toBe(`MissingJob Active job went missing: ${name}`);
    expect((await world.get(resources.cronJobs, "mycronjob")).status?.active ?? []).toEqual([]);
  });

  test("that the controller did not create is told of", async () => {
    const owner = await create({ schedule: "0 0 1 1 *" });
    const reference = newControllerRef(asStored(owner), resources.cronJobs);
    await world.create<Job>(resources.jobs, {
      metadata: { name: "stray", ownerReferences: [reference] },
      ...(owner.spec.jobTemplate.spec && { spec: owner.spec.jobTemplate.spec }),
    });
    await world.start(controller);
    expect((await world.events())[0]).toBe(
      "UnexpectedJob Saw a job that the controller did not create or forgot: stray",
    );
  });
});

test("of finished Jobs as many are kept as the limits say", async () => {
  await world.start(controller);
  await create({ ...EVERY_MINUTE, successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
  for (const type of ["Complete", "Failed", "Complete", "Complete"] as const) {
    await world.run(MINUTE_MS);
    const running = (await jobs()).find(({ status }) => (status?.conditions ?? []).length === 0);
    await finish(running, type);
    await world.run();
  }
  const kept = await jobs();
  expect(kept.map(({ status }) => status?.conditions?.at(-1)?.type)).toEqual(["Complete"]);
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2UpdateCronJob
test("a new schedule counts from when it was set, and one that is read no more is told of", async () => {
  await world.start(controller);
  await create({ schedule: "0 0 1 1 *" });
  await world.run(30_000);
  await world.update<CronJob>(resources.cronJobs, "mycronjob", (owner) => ({
    ...owner,
    spec: { ...owner.spec, schedule: "* * * * *" },
  }));
  await world.run(35_000);
  expect(await jobs()).toHaveLength(1);
  expect(linesOf().filter((line) => line.startsWith("update"))).toHaveLength(1);
});

test("a settled CronJob is not written", async () => {
  await create({ schedule: "0 0 1 1 *" });
  await world.start(controller);
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
});

async function create(spec: Partial<CronJobSpec>): Promise<CronJob> {
  const { metadata: _, ...draft } = cronJob(atMinute(0), spec);
  return world.create<CronJob>(resources.cronJobs, { ...draft, metadata: { name: "mycronjob" } });
}

async function jobs(): Promise<readonly Job[]> {
  return world.list<Job>(resources.jobs);
}

async function finish(job: Job | undefined, type: "Complete" | "Failed"): Promise<void> {
  if (job === undefined) throw new Error("there is no Job to finish");
  const at = formatTime(world.clock.nowMs());
  const target = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const conditions = [target, type].map((each) => ({
    type: each,
    status: "True",
    lastProbeTime: at,
    lastTransitionTime: at,
  }));
  const completionTime = type === "Complete" ? { completionTime: at, succeeded: 1 } : {};
  const status = { conditions, startTime: at, ...completionTime };
  await world.client.clientFor<Job>(resources.jobs).updateStatus({ ...job, status });
}

function suspended(owner: CronJob): CronJob {
  return { ...owner, spec: { ...owner.spec, suspend: true } };
}

function linesOf(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
