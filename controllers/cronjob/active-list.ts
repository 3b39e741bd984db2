import type { CronJob, CronJobStatus, Job } from "../../pkg/api/types/batch-v1.gen.ts";

/** The Jobs of a CronJob that run, as its status lists them. */
export function isActive(cronJob: CronJob, uid: string | undefined): boolean {
  return cronJob.status?.active?.some((reference) => reference.uid === uid) ?? false;
}

export function isActiveByName(cronJob: CronJob, name: string): boolean {
  const { namespace } = cronJob.metadata;
  return (
    cronJob.status?.active?.some(
      (reference) => reference.name === name && reference.namespace === namespace,
    ) ?? false
  );
}

export function withoutActive(cronJob: CronJob, uid: string | undefined): CronJob {
  const active = (cronJob.status?.active ?? []).filter((reference) => reference.uid !== uid);
  return withStatus(cronJob, { active });
}

/** The CronJob once this Job was started for that time. */
export function withStarted(cronJob: CronJob, job: Job, scheduleTime: string): CronJob {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = job.metadata;
  const reference = { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion };
  const active = [...(cronJob.status?.active ?? []), reference];
  return withStatus(cronJob, { active, lastScheduleTime: scheduleTime });
}

export function withStatus(cronJob: CronJob, change: CronJobStatus): CronJob {
  return { ...cronJob, status: { ...cronJob.status, ...change } };
}
