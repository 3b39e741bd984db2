import type { Stored } from "../../pkg/api/object.ts";
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

export function withoutActive<C extends CronJob>(cronJob: C, uid: string | undefined): C {
  const active = (cronJob.status?.active ?? []).filter((reference) => reference.uid !== uid);
  return withStatus(cronJob, { active });
}

/** The CronJob once this Job was started for that time. */
export function withStarted<C extends CronJob>(cronJob: C, job: Stored<Job>, scheduleTime: string): C {
  const { namespace, name, uid, resourceVersion } = job.metadata;
  const reference = { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion };
  const active = [...(cronJob.status?.active ?? []), reference];
  return withStatus(cronJob, { active, lastScheduleTime: scheduleTime });
}

export function withStatus<C extends CronJob>(cronJob: C, change: CronJobStatus): C {
  return { ...cronJob, status: { ...cronJob.status, ...change } };
}
