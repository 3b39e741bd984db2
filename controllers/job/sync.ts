import { smallest } from "../../pkg/api/extremes.ts";
import { isJobFinished, isJobSuspended } from "../../pkg/api/job.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { turnFor } from "../../pkg/clock/turns.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { NO_FAILURES } from "./backoff.ts";
import { BATCH_MS, type JobContext } from "./context.ts";
import { completionMode, externalManager, hasKnownMode } from "./job-spec.ts";
import { countAndFinish } from "./sync-accounting.ts";
import { syncPods } from "./sync-pods.ts";
import { decideVerdict, untilDeadlineMs } from "./verdict.ts";
import { viewOf } from "./view.ts";
import type { PodOfJob } from "./job-pods.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<Job>;

/**
 * One step of a Job: claim pods, decide whether it ends, create or delete pods, count those that have finished, and say
 * so in the status.
 */
export async function syncJob(sync: Sync, context: JobContext): Promise<SyncResult> {
  if (!isOurs(sync, context)) return {};
  const { clock, metrics } = context;
  const startMs = clock.monotonicMs();
  const labels = { completion_mode: completionMode(sync.owner), action: "reconciling", result: "error" };
  try {
    const requeueAfterMs = await reconcile(sync, context, (action) => {
      labels.action = action;
    });
    labels.result = "success";
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  } finally {
    metrics.syncSeconds.observe((clock.monotonicMs() - startMs) / 1_000, labels);
    metrics.syncs.inc(labels);
  }
}

/** Whether there is something to do for this controller. */
function isOurs(sync: Sync, { backoffs, events, finished }: JobContext): boolean {
  const { owner: job } = sync;
  const manager = externalManager(job);
  if (manager !== undefined) {
    sync.decided("The Job is another controller's", { manager });
    return false;
  }
  if (isJobFinished(job)) {
    for (const memory of [backoffs, finished]) memory.delete(job);
    return false;
  }
  // It was told to have finished; the cache will show it.
  if (finished.get(job)) return false;
  if (hasKnownMode(job)) return true;
  const message = "Skipped Job sync because completion mode is unknown";
  events.event(job, "Warning", "UnknownCompletionMode", message);
  return false;
}

/** Gives the time until the next look. `onAction` is told what was done, as metrics name it. */
async function reconcile(
  sync: Sync,
  context: JobContext,
  onAction: (action: string) => void,
): Promise<number | undefined> {
  const { owner } = sync;
  const { owned, clock } = context;
  // Before the pods are read: a pod that comes in between must not make it look as if all had been seen, and one that
  // goes while pods are claimed must not look as if it had not been counted.
  const isSettled = owned.settled(owner);
  const released = context.finalizers.awaited(owner);
  const selector = selectorFromSpec(owner.spec?.selector);
  const matches = (pod: PodOfJob): boolean => selector.matches(pod.metadata.labels);
  const pods = await owned.claim(sync, owned.ownedByOrFree(owner), matches);
  await turnFor(pods.length, clock);
  const nowMs = clock.nowMs();
  const job = withStart(owner, nowMs);
  const backoff = context.backoffs.get(job) ?? NO_FAILURES;
  const view = viewOf(job, pods, { released, backoff, namespaceLeaves: isNamespaceLeaving(context, job) });
  const verdict = decideVerdict(view, nowMs);
  await turnFor(pods.length, clock);
  const outcome = await syncPods(sync, context, view, { verdict, isSettled });
  onAction(outcome.action);
  await turnFor(pods.length, clock);
  await countAndFinish(sync, context, view, outcome);
  if (outcome.error !== undefined) throw outcome.error;
  const deadlineMs = verdict === undefined ? untilDeadlineMs(job, nowMs) : undefined;
  const waitMs = outcome.waitMs === undefined ? undefined : Math.max(outcome.waitMs, BATCH_MS);
  // No event tells of a pod that was gone before the cache saw it: someone has to look when it is given up.
  const givenUpMs = isSettled ? undefined : owned.untilSettledMs(owner);
  return smallest([deadlineMs, waitMs, givenUpMs].filter((delayMs) => delayMs !== undefined));
}

function isNamespaceLeaving({ namespaces }: JobContext, { metadata }: Stored<Job>): boolean {
  const namespace = namespaces.lister.get(undefined, metadata.namespace);
  return namespace?.metadata.deletionTimestamp !== undefined;
}

function withStart(job: Stored<Job>, nowMs: number): Stored<Job> {
  if (job.status?.startTime !== undefined || isJobSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: formatTime(nowMs) } };
}
