import { beforeEach, describe, expect, test } from "vitest";
import { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import type { CronJob, CronJobSpec, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { resources } from "../../pkg/api/resources.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { cronJobRule } from "./handlers.ts";
import { atMinute, cronJob, job, text } from "./samples.test-data.ts";

/** A second before the hour. */
const NOW_MS = atMinute(-1, 59);

let clock: VirtualClock;
let queue: WorkQueue<string>;
let told: string[];
beforeEach(() => {
  clock = new VirtualClock(NOW_MS);
  queue = createWorkQueue<string>({ clock });
  told = [];
});

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2UpdateCronJob
describe("a CronJob that was changed is looked at", () => {
  const last = { lastScheduleTime: text(atMinute(-1)) };
  test.each<[string, Partial<CronJobSpec>, Partial<CronJobSpec>, number]>([
    ["at once", { suspend: true }, { suspend: false }, 0],
    ["when its new schedule says so", { schedule: "30 * * * *" }, { schedule: "*/1 * * * *" }, 1_100],
    ["later when it fires less often", { schedule: "@every 1m" }, { schedule: "@every 3m" }, 121_100],
    ["sooner when it fires more often", { schedule: "@every 3m" }, { schedule: "@every 1m" }, 1_100],
    ["at once in the same zone", { timeZone: "America/New_York" }, { timeZone: "America/New_York" }, 0],
    ["when it is time in its new zone", { timeZone: "America/New_York" }, {}, 1_100],
  ])("%s", async (_, before, after, waitMs) => {
    const [old, next] = [before, after].map((spec) => cronJob(atMinute(-61), spec, last));
    change(old, next);
    await clock.advanceBy(waitMs - 1);
    if (waitMs > 0) expect(drain(queue)).toEqual([]);
    await clock.advanceBy(1);
    expect(drain(queue)).toEqual(["default/mycronjob"]);
  });

  test("no more when its schedule cannot be read, and that is told", async () => {
    change(cronJob(atMinute(-61)), cronJob(atMinute(-61), { schedule: "obvious error" }));
    await clock.advanceBy(3_600_000);
    expect(drain(queue)).toEqual([]);
    expect(told).toEqual(["UnParseableCronJobSchedule"]);
  });
});

describe("a Job wakes", () => {
  const owner = cronJob(atMinute(-61));
  test.each<[string, Job, readonly string[]]>([
    ["its CronJob", ownedBy(owner), ["default/mycronjob"]],
    ["nobody when it has none", job("a"), []],
    ["nobody when its CronJob is another by now", ownedBy(cronJob(0), "other-uid"), []],
  ])("%s", (_, added, expected) => {
    jobs(owner).onAdd(added, false);
    jobs(owner).onDelete(added, false);
    expect(drain(queue)).toEqual(expected);
  });

  test("nobody when it is told of again", () => {
    const same = { ...ownedBy(owner), metadata: { ...ownedBy(owner).metadata, resourceVersion: "1" } };
    jobs(owner).onUpdate(same, same);
    expect(drain(queue)).toEqual([]);
  });
});

function change(before: CronJob | undefined, after: CronJob | undefined): void {
  if (before === undefined || after === undefined) throw new Error("there is nothing to change");
  const event = (_: unknown, _type: string, reason: string): void => void told.push(reason);
  const rule = cronJobRule({
    clock,
    events: { event, eventWithAnnotations: () => {} },
    localZone: new TimeZone("UTC"),
    log: silentLogger,
  });
  ruleHandler(rule, queue).onUpdate(before, after);
}

function jobs(known: CronJob): RuleHandler<Job> {
  const owners = { lister: listerOf([known]), resource: resources.cronJobs };
  return ruleHandler(itsOwner<CronJob, Job>({ owners }), queue);
}

function ownedBy({ metadata }: CronJob, uid = metadata.uid): Job {
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: metadata.name ?? "", uid: uid ?? "" };
  const owned = job("a");
  return { ...owned, metadata: { ...owned.metadata, ownerReferences: [{ ...owner, controller: true }] } };
}
