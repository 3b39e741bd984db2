import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { decideAccounting, countReleased, hasUncounted } from "./accounting.ts";
import { releasePods, writeStatus } from "./apply.ts";
import { announce, finish, type Verdict } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { IndexRanges } from "./index-ranges.ts";
import { completionMode, hasLimitPerIndex, indexCount, isIndexed } from "./job-spec.ts";
import type { PodsOutcome } from "./sync-pods.ts";
import type { JobView } from "./view.ts";

/**
 * Counts the pods that have finished, and ends the Job when all are counted (accounting.ts says how that is done exactly
 * once). Nothing is written when nothing has changed.
 */
export async function countAndFinish(
  sync: OwnerSync<Job>,
  context: JobContext,
  view: JobView,
  outcome: PodsOutcome,
): Promise<void> {
  const nowMs = context.clock.nowMs();
  const accounting = decideAccounting(view, outcome.verdict, withCounts(outcome));
  const announced = announce(accounting.status, outcome.verdict, nowMs);
  const { final } = announced;

  let { job } = view;
  let { status } = announced;
  const before = job.status ?? {};
  if (accounting.changed || announced.changed || countsChanged(outcome)) {
    job = await writeStatus(sync, context, job, status);
    context.backoffs.set(view.job, view.backoff);
    recordCounted(context, job, before, status);
    status = job.status ?? status;
  }
  for (const [action, count] of accounting.policyActions)
    context.metrics.policyActions.inc({ action }, count);

  const released = await releasePods(sync, context, accounting.toRelease);
  const counted = countReleased(status, without(accounting.tracked, released.uids));
  if (released.error !== undefined) {
    if (counted !== status) await writeStatus(sync, context, job, counted);
    throw released.error;
  }
  const ends =
    final !== undefined && !accounting.unfinished && !hasUncounted(counted) && outcome.terminating === 0;
  const last = ends ? finish(counted, final, nowMs) : counted;
  if (last === status) return;
  await writeStatus(sync, context, job, last);
  recordCounted(context, job, status, last);
  if (ends) recordFinished(context, { ...job, status: last }, final);
}

function withCounts({ status: before, active, ready, terminating }: PodsOutcome): JobStatus {
  const { active: _, ...rest } = before;
  return { ...rest, ...(active > 0 && { active }), ready, terminating };
}

/** Compared with what the cache has; the suspension may have changed as well. */
function countsChanged({ status, active, ready, terminating, suspended }: PodsOutcome): boolean {
  return (
    suspended !== undefined ||
    active !== (status.active ?? 0) ||
    ready !== status.ready ||
    terminating !== status.terminating
  );
}

function without(uids: ReadonlySet<string>, gone: ReadonlySet<string>): ReadonlySet<string> {
  return uids.difference(gone);
}

function recordFinished(context: JobContext, job: Job, final: Verdict): void {
  const { type, reason, message } = final;
  const mode = completionMode(job);
  context.finished.set(job, true);
  const result = type === "Complete" ? "succeeded" : "failed";
  context.metrics.jobsFinished.inc({ completion_mode: mode, result, reason });
  if (type === "Failed") return context.events.event(job, "Warning", reason, message);
  const completions = job.spec?.completions;
  if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
    const many = "Too many succeeded pods running after completion count reached";
    context.events.event(job, "Warning", "TooManySucceededPods", many);
  }
  return context.events.event(job, "Normal", "Completed", "Job completed");
}

function recordCounted({ metrics }: JobContext, job: Job, before: JobStatus, after: JobStatus): void {
  const mode = completionMode(job);
  let succeeded = (after.succeeded ?? 0) - (before.succeeded ?? 0);
  if (isIndexed(job)) {
    // Indexes that a smaller Job has no more are no negative successes.
    const total = (text = ""): number => IndexRanges.parse(text, indexCount(job)).size;
    succeeded = total(after.completedIndexes) - total(before.completedIndexes);
    const backoffLimit = hasLimitPerIndex(job) ? "perIndex" : "global";
    count(metrics.finishedIndexes, { status: "succeeded", backoffLimit }, succeeded);
    const failed = total(after.failedIndexes) - total(before.failedIndexes);
    count(metrics.finishedIndexes, { status: "failed", backoffLimit }, failed);
  }
  count(metrics.podsFinished, { completion_mode: mode, result: "succeeded" }, succeeded);
  const failures = (after.failed ?? 0) - (before.failed ?? 0);
  count(metrics.podsFinished, { completion_mode: mode, result: "failed" }, failures);
}

/** A counter never goes back. */
function count(
  counter: JobContext["metrics"]["podsFinished"],
  labels: Readonly<Record<string, string>>,
  by: number,
): void {
  if (by > 0) counter.inc(labels, by);
}
