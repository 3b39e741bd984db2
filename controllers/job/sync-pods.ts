import { combinedError } from "../../pkg/api/errors.ts";
import { isJobSuspended } from "../../pkg/api/job.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Removal } from "../../pkg/controller/pod-batches.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { createPods } from "./apply.ts";
import { noteSuspension, type Suspension, type Verdict } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { decidePods } from "./pods-plan.ts";
import { decideCompletion } from "./verdict.ts";
import type { JobView } from "./view.ts";
import type { PodOfJob } from "./job-pods.ts";

type Sync = OwnerSync<Job>;

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

export interface Before {
  /** Defined when the Job is to end. */
  readonly verdict: Verdict | undefined;
  /** Whether the cache has seen all that was created and deleted. */
  readonly isSettled: boolean;
}

const NOTHING: Removal<PodOfJob> = { removed: [], errors: [] };

/** Ends all pods of a Job that is to end; otherwise sees to it that as many run as should. */
export async function syncPods(
  sync: Sync,
  context: JobContext,
  view: JobView,
  { verdict, isSettled }: Before,
): Promise<PodsOutcome> {
  const { job } = view;
  const status = job.status ?? {};
  if (verdict !== undefined) {
    sync.decided("The Job ends", { type: verdict.type, reason: verdict.reason });
    const ended = await context.owned.end(sync, view.active);
    const allSeen = ended.errors.length === 0 && isSettled;
    return {
      ...after(view, "reconciling", ended),
      verdict: allSeen ? verdict : undefined,
      status,
      suspended: undefined,
    };
  }
  const isManaged = isSettled && job.metadata.deletionTimestamp === undefined;
  const managed = isManaged ? await managePods(sync, context, view) : after(view, "reconciling", NOTHING);
  const completion = decideCompletion(view, managed.active);
  if (completion !== undefined || !isManaged)
    return { ...managed, verdict: completion, status, suspended: undefined };
  const { status: noted, change } = suspension(context, view, status);
  return { ...managed, verdict: undefined, status: noted, suspended: change };
}

async function managePods(sync: Sync, context: JobContext, view: JobView): Promise<Managed> {
  const plan = decidePods(view, context.clock.nowMs());
  const nothing = after(view, "tracking", NOTHING);
  if (plan.action === "none") return nothing;
  if (plan.action === "wait") {
    sync.decided("Pods are created later, after failures", { inMs: plan.forMs });
    return { ...nothing, action: "pods_created", waitMs: plan.forMs };
  }
  if (plan.action === "delete") {
    sync.decided("Too many pods run", { deleting: plan.pods.length, suspended: isJobSuspended(view.job) });
    return after(view, "pods_deleted", await context.owned.discard(sync, plan.pods));
  }
  sync.decided("Too few pods run", { creating: plan.count });
  const { count, error } = await createPods(sync, context, view, plan);
  return { ...nothing, action: "pods_created", active: view.active.length + count, error };
}

function after(
  view: JobView,
  action: PodsOutcome["action"],
  { removed, errors }: Removal<PodOfJob>,
): Managed {
  return {
    action,
    active: view.active.length - removed.length,
    ready: view.ready - removed.filter(isPodReady).length,
    terminating: view.terminating + removed.length,
    waitMs: undefined,
    error: combinedError(errors),
  };
}

function suspension(context: JobContext, { job }: JobView, before: JobStatus): Suspension {
  const resets = context.features.enabled("MutableSchedulingDirectivesForSuspendedJobs");
  const noted = noteSuspension(job, before, resets, context.clock.nowMs());
  if (noted.change !== undefined)
    context.events.event(job, "Normal", noted.change, `Job ${noted.change.toLowerCase()}`);
  return noted;
}
