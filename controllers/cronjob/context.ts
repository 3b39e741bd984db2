import { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import { JOB_FIELDS } from "./finished-jobs.ts";

/** Jobs by the uid of whatever manages them: those of an earlier CronJob of its name are not a CronJob's own. */
export const JOB_MANAGER_INDEX = "jobManager";

/** All that a sync of a CronJob works with. */
export type CronJobContext = ReturnType<typeof cronJobContext>;

export function cronJobContext(kit: Kit, localTimeZone: () => string) {
  const { client, clock, events, log, metrics } = kit.env;
  const jobs = kit.reads(resources.jobs, {
    fields: JOB_FIELDS,
  });
  jobs.addIndex(JOB_MANAGER_INDEX, managerUid);
  let localZone: TimeZone | undefined;
  return {
    cronJobs: kit.reads(resources.cronJobs),
    jobs,
    writes: kit.writes(resources.cronJobs),
    jobWrites: kit.writes(resources.jobs),
    /** Jobs that the status lists are read live: the cache may not have seen them yet. */
    jobClient: client.clientFor(resources.jobs),
    events,
    clock,
    log,
    /** Whose clocks count for a CronJob that names no time zone. */
    get localZone() {
      return (localZone ??= new TimeZone(localTimeZone()));
    },
    creationSkew: metrics.histogram({
      name: "cronjob_controller_job_creation_skew_duration_seconds",
      help: "Seconds from when a Job of a CronJob should have started to its creation.",
      buckets: doublingBuckets(1, 10),
      stability: "STABLE",
    }),
  };
}

function managerUid(job: PartialObject): readonly string[] {
  const manager = controllerOf(job);
  return manager === undefined ? [] : [manager.uid];
}
