import { parseTime } from "./time.ts";
import type { PartOf } from "./projected.ts";
import type { Job, JobCondition } from "./types/batch-v1.gen.ts";

/** The condition that ended the job: Complete or Failed. */
export function finishedCondition(job: PartOf<Job, "status.conditions">): JobCondition | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

export function isJobFinished(job: PartOf<Job, "status.conditions">): boolean {
  return finishedCondition(job) !== undefined;
}

/** When the job finished; undefined when it has not, or does not say. */
export function jobFinishedMs(job: PartOf<Job, "status.conditions">): number | undefined {
  return parseTime(finishedCondition(job)?.lastTransitionTime);
}

export function isJobSuspended(job: PartOf<Job, "spec.suspend">): boolean {
  return job.spec?.suspend === true;
}
