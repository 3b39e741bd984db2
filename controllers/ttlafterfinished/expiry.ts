import { finishedCondition } from "../../pkg/api/job.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";

/** What is read of Jobs. */
export const JOB_FIELDS = ["spec.ttlSecondsAfterFinished", "status.conditions"] as const;
export type ExpiringJob = Projected<Job, typeof JOB_FIELDS>;

/** What time does to a Job: nothing, or it will have expired, or it has. */
export type Expiry =
  | { readonly kind: "never"; readonly reason: "not to be cleaned up" | "being deleted" | "no finish time" }
  | { readonly kind: "later"; readonly afterMs: number; readonly finishesInFuture: boolean }
  | { readonly kind: "expired"; readonly sinceMs: number };

/** Whether somebody asked for the Job to go some time after it has finished, and it has. One that is going needs nothing. */
export function needsCleanup(job: ExpiringJob): boolean {
  if (job.metadata.deletionTimestamp !== undefined) return false;
  return job.spec?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined;
}

/**
 * E.g. finished at 12:00:00 with 10 s to live: at 12:00:04 it is for later, in 6 s; at 12:00:10 it has expired. A Job
 * that claims to have finished in the future (the clock of whoever said so is ahead) lives so much longer.
 */
export function decideExpiry(job: ExpiringJob, nowMs: number): Expiry {
  if (job.metadata.deletionTimestamp !== undefined) return { kind: "never", reason: "being deleted" };
  const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
  const finished = finishedCondition(job);
  if (ttlSeconds === undefined || finished === undefined)
    return { kind: "never", reason: "not to be cleaned up" };
  const finishedMs = parseTime(finished.lastTransitionTime);
  if (finishedMs === undefined) return { kind: "never", reason: "no finish time" };
  const expiresMs = finishedMs + ttlSeconds * 1_000;
  if (expiresMs <= nowMs) return { kind: "expired", sinceMs: expiresMs };
  return { kind: "later", afterMs: expiresMs - nowMs, finishesInFuture: finishedMs > nowMs };
}
