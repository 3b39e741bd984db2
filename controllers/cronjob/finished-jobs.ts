import { finishedCondition } from "../../pkg/api/job.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { isActive, withoutActive, withStatus } from "./active-list.ts";

/** What is read of Jobs. */
export const JOB_FIELDS = ["status.conditions", "status.startTime", "status.completionTime"] as const;
export type CachedJob = Stored<Projected<Job, typeof JOB_FIELDS>>;

/** The finished Jobs beyond what the history limits allow: of each kind those that started first. */
export function jobsBeyondHistory(cronJob: CronJob, jobs: readonly CachedJob[]): readonly CachedJob[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const ended = (type: string): readonly CachedJob[] =>
    jobs.filter((job) => finishedCondition(job)?.type === type);
  return [
    ...oldestBeyond(ended("Complete"), successfulJobsHistoryLimit),
    ...oldestBeyond(ended("Failed"), failedJobsHistoryLimit),
  ];
}

function oldestBeyond(jobs: readonly CachedJob[], limit: number | undefined): readonly CachedJob[] {
  if (limit === undefined || jobs.length <= limit) return [];
  return jobs.toSorted(byStartTime).slice(0, jobs.length - limit);
}

/** Those that never started come last; equal ones by name. */
export function byStartTime(one: CachedJob, other: CachedJob): number {
  const [a = Infinity, b = Infinity] = [parseTime(one.status?.startTime), parseTime(other.status?.startTime)];
  if (a !== b) return a < b ? -1 : 1;
  const [name, otherName] = [one.metadata.name, other.metadata.name];
  return name < otherName ? -1 : Number(name > otherName);
}

export interface Observed<C extends CronJob> {
  readonly cronJob: C;
  /** Jobs that ran when the status was written last, with the condition that ended them. */
  readonly completed: readonly { readonly job: CachedJob; readonly condition: string }[];
  readonly changed: boolean;
}

/** Takes note of the Jobs that have finished: they run no more, and the last success may be later. */
export function observeFinished<C extends CronJob>(before: C, jobs: readonly CachedJob[]): Observed<C> {
  let cronJob = before;
  const completed: { job: CachedJob; condition: string }[] = [];
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

function withSuccess<C extends CronJob>(cronJob: C, completionTime: string | undefined): C {
  const [last, next] = [parseTime(cronJob.status?.lastSuccessfulTime), parseTime(completionTime)];
  if (completionTime === undefined || next === undefined || (last !== undefined && next <= last))
    return cronJob;
  return withStatus(cronJob, { lastSuccessfulTime: completionTime });
}
