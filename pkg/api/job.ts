import { parseTime } from "./time.ts";
import type { Job, JobCondition } from "./types/batch-v1.gen.ts";

/** The condition that ended the job: Complete or Failed. */
export function finishedCondition(job: Job): JobCondition | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

export function isJobFinished(job: Job): boolean {
  return finishedCondition(job) !== undefined;
}

/** When the job finished; undefined when it has not, or does not say. */
export function jobFinishedMs(job: Job): number | undefined {
  return parseTime(finishedCondition(job)?.lastTransitionTime);
}

export function isJobSuspended(job: Job): boolean {
  return job.spec?.suspend === true;
}
