import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CronJob, CronJobSpec, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ObjectReference } from "../../pkg/api/types/core-v1.gen.ts";
import { internal, StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { cronJobController } from "./controller.ts";
import { atMinute, cronJob } from "./samples.test-data.ts";

const controller = cronJobController({ workers: 2, localTimeZone: () => "UTC" });
const MINUTE_MS = 60_000;
const policies = ["Allow", "Forbid", "Replace"];

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob, its cases of slow caches
describe.each(policies)("while a Job runs (%s)", (concurrencyPolicy) => {
  test.each(["jobs", "cronjobs"] as const)("a cache of %s that is late changes nothing", async (resource) => {
    await world.start(controller);
    await create({ concurrencyPolicy });
    await world.run(55_000);
    const release = world.server.parts.faults.holdWatches({ resource });
    await world.run(10_000);
    expect(await jobs()).toHaveLength(1);
    world.takeWrites();
    const before = (await world.events()).length;
    await world.run(30_000);
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run(10_000);
    expect(await jobs()).toHaveLength(1);
    expect(await active()).toHaveLength(1);
    expect(await world.events()).toHaveLength(before);
  });
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob ("get job failed")
test("a Job that cannot be read is not replaced", async () => {
  await world.start(controller);
  await create({ concurrencyPolicy: "Replace" });
  await world.run(MINUTE_MS);
  const [first] = await jobs();
  const repair = world.server.parts.faults.add({
    target: { verb: "get", resource: "jobs" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await world.run(MINUTE_MS);
  repair();
  expect((await jobs()).map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid]);
  expect((await world.events()).some((event) => event.startsWith("FailedGet"))).toBe(true);
  await world.run(MINUTE_MS);
  expect(await jobs()).toHaveLength(1);
  expect((await jobs())[0]?.metadata.uid).not.toBe(first?.metadata.uid);
});

test("a Job that is listed, though the answer to that was lost and the cache is late, is no surprise", async () => {
  await world.start(controller);
  await create({});
  const release = world.server.parts.faults.holdWatches({ resource: "cronjobs" });
  world.server.parts.faults.add({
    target: { verb: "update", resource: "cronjobs", subresource: "status" },
    action: { kind: "status", when: "after", error: internal("the answer was lost") },
    times: 1,
  });
  await world.run(MINUTE_MS + 10_000);
  expect(await active()).toHaveLength(1);
  expect((await world.events()).map((event) => event.split(" ")[0])).toEqual(["SuccessfulCreate"]);
  const writes = world.takeWrites().filter(({ resource }) => resource === "cronjobs/status");
  expect(writes.map(({ status }) => status)).toEqual([500]);
  release();
  await world.run(10_000);
  expect(await jobs()).toHaveLength(1);
});

test("a Job beyond the history is deleted once, though the cache of Jobs is late", async () => {
  await world.start(controller);
  await create({ successfulJobsHistoryLimit: 0 });
  await world.run(MINUTE_MS);
  const repair = world.server.parts.faults.add({
    target: { verb: "delete", resource: "jobs" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await complete((await jobs())[0]);
  await world.run(1_000);
  repair();
  const release = world.server.parts.faults.holdWatches({ resource: "jobs" });
  world.takeWrites();
  for (const startingDeadlineSeconds of [10, 20]) {
    await change({ suspend: true, startingDeadlineSeconds });
    await world.run(10_000);
  }
  release();
  await world.run(10_000);
  expect(world.takeWrites().filter(({ verb }) => verb === "delete")).toMatchObject([{ resource: "jobs" }]);
  expect((await world.events()).filter((event) => event.includes("not found"))).toEqual([]);
});

describe("where two Jobs still run and are to be replaced", () => {
  async function twoRunning(): Promise<readonly [Job, Job]> {
    await world.start(controller);
    await create({ concurrencyPolicy: "Allow" });
    await world.run(2 * MINUTE_MS);
    const [one, other] = await jobs();
    if (one === undefined || other === undefined) throw new Error("two Jobs should run");
    const before = await world.get<CronJob>(resources.cronJobs, "mycronjob");
    expect(before.status?.active).toHaveLength(2);
    const spec = { ...before.spec, concurrencyPolicy: "Replace" };
    await world.client.clientFor<CronJob>(resources.cronJobs).update({ ...before, spec });
    return [one, other];
  }

  test("the first that went is off the list, though the second could not be deleted", async () => {
    const [, other] = await twoRunning();
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "jobs", name: other.metadata.name ?? "" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.run(MINUTE_MS);
    expect((await active()).map(({ uid }) => uid)).toEqual([other.metadata.uid]);
    repair();
    await world.run(MINUTE_MS);
    const left = await jobs();
    expect((await active()).map(({ uid }) => uid)).toEqual(left.map(({ metadata }) => metadata.uid));
    expect(left).toHaveLength(1);
    expect((await world.events()).filter((event) => event.startsWith("MissingJob"))).toEqual([]);
  });

  test("a Job that somebody has made under the name of one of them stays", async () => {
    const [one, other] = await twoRunning();
    const release = world.server.parts.faults.holdWatches({ resource: "jobs" });
    const stranger = await madeAnew(one);
    await world.run(MINUTE_MS);
    const uids = (await jobs()).map(({ metadata }) => metadata.uid);
    expect(uids).toContain(stranger.metadata.uid);
    expect(uids).not.toContain(other.metadata.uid);
    release();
    await world.run(MINUTE_MS);
    expect((await jobs()).map(({ metadata }) => metadata.uid)).toContain(stranger.metadata.uid);
    expect((await active()).map(({ uid }) => uid)).not.toContain(one.metadata.uid);
  });
});

test("a Job that somebody has made under the name of one that ran is not that one", async () => {
  await world.start(controller);
  await create({});
  await world.run(MINUTE_MS);
  const [job] = await jobs();
  if (job === undefined) throw new Error("a Job should run");
  const stranger = await madeAnew(job);
  await world.run(1_000);
  expect(await active()).toEqual([]);
  expect((await world.events()).filter((event) => event.startsWith("MissingJob"))).toHaveLength(1);
  expect((await jobs()).map(({ metadata }) => metadata.uid)).toEqual([stranger.metadata.uid]);
});

// What the worker finds among the causes is a server that is not there, which costs no key its retries.
test("an outage while Jobs are replaced is told as one", async () => {
  await world.start(controller);
  await create({ concurrencyPolicy: "Replace" });
  await world.run(MINUTE_MS);
  const repair = world.server.parts.faults.add({
    target: { verb: "delete", resource: "jobs" },
    action: { kind: "disconnect", when: "refused" },
  });
  await world.run(20 * MINUTE_MS);
  repair();
  const [before] = await jobs();
  await world.run(3_000);
  expect((await jobs()).map(({ metadata }) => metadata.uid)).not.toContain(before?.metadata.uid);
});

test("an outage is told though the status could not be written either", async () => {
  const { faults } = world.server.parts;
  await world.start(controller);
  await create({ concurrencyPolicy: "Replace" });
  await world.run(MINUTE_MS);
  const repairs = [
    faults.add({
      target: { verb: "create", resource: "jobs" },
      action: { kind: "disconnect", when: "refused" },
    }),
    faults.add({
      target: { verb: "update", resource: "cronjobs", subresource: "status" },
      action: { kind: "status", when: "before", error: internal("down") },
    }),
  ];
  // The first is deleted and nothing can take its place: there is a status to be written each time.
  await world.run(20 * MINUTE_MS);
  expect(await jobs()).toEqual([]);
  for (const repair of repairs) repair();
  await world.run(3_000);
  expect(await jobs()).toHaveLength(1);
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob ("…namespace is terminating")
test("in a namespace that is going away nothing is started, nor told", async () => {
  const cause = {
    reason: "NamespaceTerminating",
    message: "it is being terminated",
    field: "metadata.namespace",
  };
  world.server.parts.faults.add({
    target: { verb: "create", resource: "jobs" },
    action: {
      kind: "status",
      when: "before",
      error: new StatusError(403, "Forbidden", "it is being terminated", { details: { causes: [cause] } }),
    },
  });
  await world.start(controller);
  await create({});
  await world.run(MINUTE_MS);
  expect(await jobs()).toEqual([]);
  expect(await active()).toEqual([]);
  expect(await world.events()).toEqual([]);
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob ("set lastsuccessfultime…")
test.each([0, 10, undefined])("the last success is noted with a history limit of %s", async (limit) => {
  await world.start(controller);
  await create(limit === undefined ? {} : { successfulJobsHistoryLimit: limit });
  await world.run(MINUTE_MS);
  await complete((await jobs())[0]);
  await world.run(1_000);
  const { status } = await world.get<CronJob>(resources.cronJobs, "mycronjob");
  expect(status?.lastSuccessfulTime).toBeDefined();
  expect(status?.active ?? []).toEqual([]);
  expect(await jobs()).toHaveLength(limit === 0 ? 0 : 1);
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2CleanupFinishedJobs
test("old Jobs are deleted though no new one can be created", async () => {
  await world.start(controller);
  await create({ successfulJobsHistoryLimit: 1 });
  await world.run(MINUTE_MS);
  await complete((await jobs())[0]);
  await world.run(MINUTE_MS);
  world.server.parts.faults.add({
    target: { verb: "create", resource: "jobs" },
    action: { kind: "status", when: "before", error: internal("quota for # of jobs reached") },
  });
  await complete((await jobs()).find(({ status }) => (status?.conditions ?? []).length === 0));
  await world.run(MINUTE_MS);
  expect(await jobs()).toHaveLength(1);
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2GetJobsToBeReconciled
// and kubernetes/kubernetes#133313: upstream counts those of an earlier CronJob of the name, and others of its name, too.
test("only Jobs that this very CronJob controls are its own, whatever their labels", async () => {
  const owner = await create({ schedule: "0 0 1 1 *", successfulJobsHistoryLimit: 0 });
  const template = owner.spec.jobTemplate.spec;
  const reference = newControllerRef(asStored(owner), resources.cronJobs);
  const drafts: readonly [string, Job["metadata"]][] = [
    ["without a manager", {}],
    ["of it", { ownerReferences: [reference], labels: { key: "different-value" } }],
    ["of another", { ownerReferences: [{ ...reference, name: "another-cronjob", uid: "another" }] }],
    ["of an earlier one of its name", { ownerReferences: [{ ...reference, uid: "earlier" }] }],
    ["of something else of its name", { ownerReferences: [{ ...reference, kind: "Website", uid: "other" }] }],
  ];
  for (const [index, [, metadata]] of drafts.entries()) {
    const draft: Job = {
      metadata: { ...metadata, name: `job-${index}` },
      ...(template && { spec: template }),
    };
    await complete(await world.create<Job>(resources.jobs, draft));
  }
  await world.start(controller);
  await world.run(1_000);
  expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual(["job-0", "job-2", "job-3", "job-4"]);
  expect(await world.events()).toEqual(["SuccessfulDelete Deleted job job-1"]);
});

// The event UnexpectedJob is about Jobs of its own.
test("a Job of an earlier CronJob of its name that still runs is nothing to it", async () => {
  const owner = await create({ schedule: "0 0 1 1 *" });
  const template = owner.spec.jobTemplate.spec;
  const reference = newControllerRef(asStored(owner), resources.cronJobs);
  await world.create<Job>(resources.jobs, {
    metadata: { name: "earlier", ownerReferences: [{ ...reference, uid: "earlier" }] },
    ...(template && { spec: template }),
  });
  await world.start(controller);
  await world.run(1_000);
  expect(await world.events()).toEqual([]);
  expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual(["earlier"]);
});

async function create(spec: Partial<CronJobSpec>): Promise<CronJob> {
  const { metadata: _, ...draft } = cronJob(atMinute(0), { schedule: "* * * * *", ...spec });
  return world.create<CronJob>(resources.cronJobs, { ...draft, metadata: { name: "mycronjob" } });
}

async function change(spec: Partial<CronJobSpec>): Promise<void> {
  const patch = { type: "merge", body: { spec } } as const;
  await world.client
    .clientFor<CronJob>(resources.cronJobs)
    .patch({ namespace: "default", name: "mycronjob" }, patch);
}

/** Deleted, and created again under its name by a user. */
async function madeAnew({ metadata: { name = "" }, spec }: Job): Promise<Job> {
  const ref = { namespace: "default", name };
  await world.client.clientFor<Job>(resources.jobs).delete(ref, { propagationPolicy: "Background" });
  if (spec === undefined) throw new Error("a Job has a spec");
  const { selector: _, template, ...rest } = spec;
  return world.create<Job>(resources.jobs, {
    metadata: ref,
    spec: { ...rest, template: { ...(template.spec && { spec: template.spec }) } },
  });
}

async function jobs(): Promise<readonly Job[]> {
  return world.list<Job>(resources.jobs);
}

async function active(): Promise<readonly ObjectReference[]> {
  return (await world.get<CronJob>(resources.cronJobs, "mycronjob")).status?.active ?? [];
}

async function complete(job: Job | undefined): Promise<void> {
  if (job === undefined) throw new Error("there is no Job to complete");
  const at = formatTime(world.clock.nowMs());
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastProbeTime: at,
    lastTransitionTime: at,
  }));
  const status = { conditions, startTime: at, completionTime: at, succeeded: 1 };
  await world.client.clientFor<Job>(resources.jobs).updateStatus({ ...job, status });
}
