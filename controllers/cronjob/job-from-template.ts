import { timeZoneNamed } from "../../pkg/api/cron/time-zone.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";

const SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** One name for each scheduled minute, so that no minute is served twice whatever is forgotten in between. */
export function jobNameFor(cronJob: Stored<CronJob>, scheduledMs: number): string {
  return `${cronJob.metadata.name}-${Math.floor(scheduledMs / 60_000)}`;
}

export function jobFromTemplate(cronJob: Stored<CronJob>, scheduledMs: number): Job {
  const { jobTemplate, timeZone = "" } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const zone = timeZoneNamed(timeZone);
  const scheduled = zone === undefined ? {} : { [SCHEDULED_TIMESTAMP]: zone.format(scheduledMs) };
  const { namespace } = cronJob.metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameFor(cronJob, scheduledMs),
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      annotations: { ...annotations, ...scheduled },
      ownerReferences: [newControllerRef(cronJob, resources.cronJobs)],
    },
    ...(jobTemplate.spec && { spec: jobTemplate.spec }),
  };
}
