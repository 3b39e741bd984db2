import { largest } from "../../pkg/api/extremes.ts";
import { finishedMs, ignoredIndexFailures, indexFailures, type PodOfJob } from "./job-pods.ts";

/** Failures in a row, for the time that pods wait to be replaced. */
export interface BackoffRecord {
  readonly failuresSinceSuccess: number;
  readonly lastFailureMs: number | undefined;
}

export const NO_FAILURES: BackoffRecord = { failuresSinceSuccess: 0, lastFailureMs: undefined };

const FIRST_MS = 10_000;
const LONGEST_MS = 10 * 60_000;

/** The record once these pods have finished. A success ends the row; failures after it begin a new one. */
export function backoffAfter(
  before: BackoffRecord,
  succeeded: readonly PodOfJob[],
  failed: readonly PodOfJob[],
): BackoffRecord {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccessMs = largest(succeeded.map(finishedMs));
  const failures = failed.map(finishedMs).filter((ms) => lastSuccessMs === undefined || ms > lastSuccessMs);
  const earlier = lastSuccessMs === undefined ? before.failuresSinceSuccess : 0;
  const lastFailureMs = largest(failures);
  if (lastFailureMs === undefined) return NO_FAILURES;
  return { failuresSinceSuccess: earlier + failures.length, lastFailureMs };
}

/** How long pods have to wait yet: 10 s after the first failure, 20 s after the second, … 10 min at most. */
export function backoffRemainingMs(record: BackoffRecord, nowMs: number): number {
  const { failuresSinceSuccess, lastFailureMs } = record;
  if (failuresSinceSuccess === 0 || lastFailureMs === undefined) return 0;
  const waitMs = Math.min(FIRST_MS * 2 ** (failuresSinceSuccess - 1), LONGEST_MS);
  return Math.max(0, lastFailureMs + waitMs - nowMs);
}

/** The same for one index; `lastFailed` is the pod of it that failed last. */
export function indexBackoffRemainingMs(lastFailed: PodOfJob | undefined, nowMs: number): number {
  if (lastFailed === undefined) return 0;
  const failuresSinceSuccess = totalIndexFailures(lastFailed) + 1;
  return backoffRemainingMs({ failuresSinceSuccess, lastFailureMs: finishedMs(lastFailed) }, nowMs);
}

/** Failures of the index before this pod, ignored ones included. */
export function totalIndexFailures(pod: PodOfJob): number {
  return indexFailures(pod) + ignoredIndexFailures(pod);
}
