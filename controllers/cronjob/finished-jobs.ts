import { finishedCondition } from "../../pkg/api/job.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { isActive, withoutActive, withStatus } from "./active-list.ts";

/** The finished Jobs beyond what the history limits allow: of each kind those that started first. */
export function jobsBeyondHistory(cronJob: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const ended = (type: string): readonly Job[] => jobs.filter((job) => finishedCondition(job)?.type === type);
  return [
    ...oldestBeyond(ended("Complete"), successfulJobsHistoryLimit),
    ...oldestBeyond(ended("Failed"), failedJobsHistoryLimit),
  ];
}

function oldestBeyond(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return [];
  return jobs.toSorted(byStartTime).slice(0, jobs.length - limit);
}

/** Those that never started come last; equal ones by name. */
export function byStartTime(one: Job, other: Job): number {
  const [a = Infinity, b = Infinity] = [parseTime(one.status?.startTime), parseTime(other.status?.startTime)];
  if (a !== b) return a < b ? -1 : 1;
  const [name = "", otherName = ""] = [one.metadata.name, other.metadata.name];
  return name < otherName ? -1 : Number(name > otherName);
}

export interface Observed {
  readonly cronJob: CronJob;
  /** Jobs that ran when the status was written last, with the condition that ended them. */
  readonly completed: readonly { readonly job: Job; readonly condition: string }[];
  readonly changed: boolean;
}

/** Takes note of the Jobs that have finished: they run no more, and the last success may be later. */
export function observeFinished(before: CronJob, jobs: readonly Job[]): Observed {
  let cronJob = before;
  const completed: { job: Job; condition: string }[] = [];
  for (const job of jobs) {
    const condition = finishedCondition(job);
    if (condition === undefined) continue;
    if (isActive(cronJob, job.metadata.uid)) {
      cronJob = withoutActive(cronJob, job.metadata.uid);
      completed.push({ job, condition: condition.type });
    }
    if (condition.type === "Complete") cronJob = withSuccess(cronJob, job.status?.completionTime);
  }
  return { cronJob, completed, changed: cronJob !== before };
}

function withSuccess(cronJob: CronJob, completionTime: string | undefined): CronJob {
  const [last, next] = [parseTime(cronJob.status?.lastSuccessfulTime), parseTime(completionTime)];
  if (completionTime === undefined || next === undefined || (last !== undefined && next <= last))
    return cronJob;
  return withStatus(cronJob, { lastSuccessfulTime: completionTime });
}
