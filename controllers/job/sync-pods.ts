import { isJobSuspended } from "../../pkg/api/job.ts";
import type { JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { createPods, deleteActive, deleteSurplus } from "./apply.ts";
import { noteSuspension, type Suspension, type Verdict } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { decidePods } from "./pods-plan.ts";
import { decideCompletion } from "./verdict.ts";
import type { JobView } from "./view.ts";

/** What was done about the pods, and how the Job stands then. */
export interface PodsOutcome {
  /** As the metrics name it. */
  readonly action: "reconciling" | "tracking" | "pods_created" | "pods_deleted";
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** Undefined as long as there may be pods that are not seen to end yet. */
  readonly verdict: Verdict | undefined;
  /** With the condition that says whether the Job is suspended. */
  readonly status: JobStatus;
  /** The Job was suspended, or goes on. */
  readonly suspended: Suspension["change"];
  /** Until pods may be created again. */
  readonly waitMs: number | undefined;
  /** What failed. What has finished is counted all the same. */
  readonly error: unknown;
}

type Managed = Pick<PodsOutcome, "action" | "active" | "ready" | "terminating" | "waitMs" | "error">;

/** Ends all pods of a Job that is to end; otherwise sees to it that as many run as should. */
export async function syncPods(
  context: JobContext,
  view: JobView,
  verdict: Verdict | undefined,
  expectationsMet: boolean,
  log: Logger,
  signal: AbortSignal,
): Promise<PodsOutcome> {
  const { job } = view;
  const status = job.status ?? {};
  if (verdict !== undefined) {
    const deleted = await deleteActive(context, job, view.active, signal);
    const allSeen = deleted.count === view.active.length && expectationsMet;
    return {
      ...after(view, "reconciling", deleted),
      verdict: allSeen ? verdict : undefined,
      status,
      suspended: undefined,
    };
  }
  const isManaged = expectationsMet && job.metadata.deletionTimestamp === undefined;
  const managed = isManaged
    ? await managePods(context, view, log, signal)
    : after(view, "reconciling", { count: 0, ready: 0, error: undefined });
  const completion = decideCompletion(view, managed.active);
  if (completion !== undefined || !isManaged)
    return { ...managed, verdict: completion, status, suspended: undefined };
  const { status: noted, change } = suspension(context, view, status);
  return { ...managed, verdict: undefined, status: noted, suspended: change };
}

async function managePods(
  context: JobContext,
  view: JobView,
  log: Logger,
  signal: AbortSignal,
): Promise<Managed> {
  const plan = decidePods(view, context.clock.nowMs());
  const nothing = after(view, "tracking", { count: 0, ready: 0, error: undefined });
  if (plan.action === "none") return nothing;
  if (plan.action === "wait") return { ...nothing, action: "pods_created", waitMs: plan.forMs };
  if (plan.action === "delete") {
    log.verbose(4, "Too many pods run", { deleting: plan.pods.length, suspended: isJobSuspended(view.job) });
    return after(view, "pods_deleted", await deleteSurplus(context, view.job, plan.pods, signal));
  }
  log.verbose(4, "Too few pods run", { creating: plan.count });
  const { count, error } = await createPods(context, view, plan.count, plan.indexes, signal);
  return { ...nothing, action: "pods_created", active: view.active.length + count, error };
}

function after(
  view: JobView,
  action: PodsOutcome["action"],
  deleted: { readonly count: number; readonly ready: number; readonly error: unknown },
): Managed {
  return {
    action,
    active: view.active.length - deleted.count,
    ready: view.ready - deleted.ready,
    terminating: view.terminating + deleted.count,
    waitMs: undefined,
    error: deleted.error,
  };
}

function suspension(context: JobContext, { job }: JobView, before: JobStatus): Suspension {
  const resets = context.features.enabled("MutableSchedulingDirectivesForSuspendedJobs");
  const noted = noteSuspension(job, before, resets, context.clock.nowMs());
  if (noted.change !== undefined)
    context.events.event(job, "Normal", noted.change, `Job ${noted.change.toLowerCase()}`);
  return noted;
}
