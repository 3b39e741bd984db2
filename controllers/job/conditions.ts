import { findCondition } from "../../pkg/api/conditions.ts";
import { formatTime, parseTime } from "../../pkg/api/time.ts";
import type { Job, JobCondition, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";

/** What is said of a Job, and why; the time comes with the writing. */
export interface Verdict {
  /** The first two are said before the last pods are counted, the last two when they are. */
  readonly type: "FailureTarget" | "SuccessCriteriaMet" | "Failed" | "Complete";
  readonly reason: string;
  readonly message: string;
}

export function trueCondition(job: Job, type: string): JobCondition | undefined {
  const condition = findCondition(job.status?.conditions, type);
  return condition?.status === "True" ? condition : undefined;
}

export function newCondition(
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  status: string,
  nowMs: number,
): JobCondition {
  const now = formatTime(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/**
 * The list with this condition; the same list when it says so already. A condition that was never there need not be
 * said to be false.
 */
export function withCondition(
  conditions: readonly JobCondition[],
  next: JobCondition,
): readonly JobCondition[] {
  const before = findCondition(conditions, next.type);
  if (before === undefined) return next.status === "False" ? conditions : [...conditions, next];
  const same =
    before.status === next.status && before.reason === next.reason && before.message === next.message;
  return same ? conditions : conditions.map((each) => (each === before ? next : each));
}

export interface Announced {
  readonly status: JobStatus;
  /** What is said once all pods are counted. */
  readonly final: Verdict | undefined;
  readonly changed: boolean;
}

/** Says that the Job is about to end: before its last pods are counted, so that it ends so whatever comes in between. */
export function announce(status: JobStatus, verdict: Verdict | undefined, nowMs: number): Announced {
  if (verdict === undefined || verdict.type === "Failed" || verdict.type === "Complete")
    return { status, final: verdict, changed: false };
  const final: Verdict = { ...verdict, type: verdict.type === "FailureTarget" ? "Failed" : "Complete" };
  const conditions = status.conditions ?? [];
  if (findCondition(conditions, verdict.type)?.status === "True") return { status, final, changed: false };
  return {
    status: { ...status, conditions: [...conditions, newCondition(verdict, "True", nowMs)] },
    final,
    changed: true,
  };
}

/**
 * The status of a Job that has ended. The server wants a start of every end, also of a Job that was suspended before
 * anybody had noted its start, and none that is later: whoever led before may have had a clock that was ahead.
 * upstream: job_controller.go#trackJobStatusAndRemoveFinalizers is refused until its clock has come so far.
 */
export function finish(status: JobStatus, final: Verdict, nowMs: number): JobStatus {
  const endMs = Math.max(nowMs, parseTime(status.startTime) ?? nowMs);
  const condition = newCondition(final, "True", endMs);
  return {
    ...status,
    conditions: withCondition(status.conditions ?? [], condition),
    startTime: status.startTime ?? formatTime(endMs),
    ...(final.type === "Complete" && { completionTime: formatTime(endMs) }),
  };
}

export interface Suspension {
  readonly status: JobStatus;
  /** Told to users when it changed. */
  readonly change: "Suspended" | "Resumed" | undefined;
}

/** A Job that goes on starts its time anew: it was not active meanwhile. `resets`: suspended, it has no start at all. */
export function noteSuspension(job: Job, before: JobStatus, resets: boolean, nowMs: number): Suspension {
  const suspended = job.spec?.suspend === true;
  const said = suspended
    ? { type: "Suspended", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", reason: "JobResumed", message: "Job resumed" };
  const old = before.conditions ?? [];
  const conditions = withCondition(old, newCondition(said, suspended ? "True" : "False", nowMs));
  if (conditions === old) return { status: before, change: undefined };
  const { startTime: _, ...unstarted } = before;
  if (!suspended)
    return { status: { ...before, conditions, startTime: formatTime(nowMs) }, change: "Resumed" };
  return { status: { ...(resets ? unstarted : before), conditions }, change: "Suspended" };
}
