import { smallest } from "../../pkg/api/extremes.ts";
import { isJobFinished, isJobSuspended } from "../../pkg/api/job.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { claimObjects } from "../../pkg/controller/ownership.ts";
import { ownedAndOrphanedPods } from "../../pkg/controller/pod-index.ts";
import { shareTheLoop } from "../../pkg/controller/share-the-loop.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { NO_FAILURES } from "./backoff.ts";
import { BATCH_MS, type JobContext } from "./context.ts";
import { TRACKING_FINALIZER } from "./job-pods.ts";
import { completionMode, externalManager, hasKnownMode } from "./job-spec.ts";
import { countAndFinish } from "./sync-accounting.ts";
import { syncPods } from "./sync-pods.ts";
import { decideVerdict, untilDeadlineMs } from "./verdict.ts";
import { viewOf } from "./view.ts";

/**
 * One step of a Job: claim pods, decide whether it ends, create or delete pods, count those that have finished, and say
 * so in the status.
 */
export async function syncJob(
  key: string,
  context: JobContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const job = context.jobs.getByKey(key);
  if (job === undefined) {
    forget(context, key);
    return {};
  }
  if (!isOurs(context, job, key, log)) return {};
  const { clock, metrics } = context;
  const startMs = clock.monotonicMs();
  const labels = { completion_mode: completionMode(job), action: "reconciling", result: "error" };
  try {
    const { action, requeueAfterMs } = await reconcile(context, job, key, log, signal, (done) => {
      labels.action = done;
    });
    labels.action = action;
    labels.result = "success";
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  } finally {
    metrics.syncSeconds.observe((clock.monotonicMs() - startMs) / 1_000, labels);
    metrics.syncs.inc(labels);
  }
}

/** Whether there is something to do for this controller. */
function isOurs(context: JobContext, job: Job, key: string, log: Logger): boolean {
  const { uid = "" } = job.metadata;
  const manager = externalManager(job);
  if (manager !== undefined) {
    log.verbose(2, "The Job is another controller's", { manager });
    return false;
  }
  if (isJobFinished(job)) {
    context.backoffs.delete(job);
    context.finished.delete(uid);
    context.consistency?.delete(job);
    return false;
  }
  // It was told to have finished; the cache will show it.
  if (context.finished.has(uid)) return false;
  if (hasKnownMode(job)) return true;
  const message = "Skipped Job sync because completion mode is unknown";
  context.events.event(job, "Warning", "UnknownCompletionMode", message);
  return false;
}

interface Reconciled {
  readonly action: string;
  readonly requeueAfterMs: number | undefined;
}

async function reconcile(
  context: JobContext,
  cached: Job,
  key: string,
  log: Logger,
  signal: AbortSignal,
  onAction: (action: string) => void,
): Promise<Reconciled> {
  // Before the pods are read: a pod that comes in between must not make it look as if all had been seen, and one that
  // goes while pods are claimed must not look as if it had not been counted.
  const expectationsMet = context.expectations.satisfied(cached);
  const released = context.finalizers.awaited(cached);
  const pods = await claimPods(context, cached, log, signal);
  await shareTheLoop(pods.length, context.clock);
  const nowMs = context.clock.nowMs();
  const job = withStart(cached, nowMs);
  const backoff = context.backoffs.get(job) ?? NO_FAILURES;
  const { namespace = "" } = job.metadata;
  const view = viewOf(job, pods, released, backoff, context.isLeaving(namespace));
  const verdict = decideVerdict(view, nowMs);
  await shareTheLoop(pods.length, context.clock);
  const outcome = await syncPods(context, view, verdict, expectationsMet, log, signal);
  onAction(outcome.action);
  await shareTheLoop(pods.length, context.clock);
  await countAndFinish(context, view, outcome, signal);
  if (outcome.error !== undefined) throw outcome.error;
  const deadlineMs = verdict === undefined ? untilDeadlineMs(job, nowMs) : undefined;
  const waitMs = outcome.waitMs === undefined ? undefined : Math.max(outcome.waitMs, BATCH_MS);
  // Of a pod that was gone before the cache saw it no event tells: someone has to look when it is given up.
  const givenUpMs = expectationsMet ? undefined : context.expectations.untilSatisfiedMs(cached);
  const delays = [deadlineMs, waitMs, givenUpMs].filter((delayMs) => delayMs !== undefined);
  return { action: outcome.action, requeueAfterMs: smallest(delays) };
}

/** The pods of the Job. Those that it adopts get the finalizer, and count from now on. */
async function claimPods(
  context: JobContext,
  job: Job,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const selector = selectorFromSpec(job.spec?.selector);
  return claimObjects<Pod>(
    {
      owner: job,
      ownerResource: resources.jobs,
      ownerClient: context.client,
      resource: resources.pods,
      patch: async (pod, patch) => context.podControl.claim(pod, patch, signal),
      consistency: context.consistency,
      finalizers: [TRACKING_FINALIZER],
      log,
    },
    ownedAndOrphanedPods(context.pods, job, "Job"),
    (pod) => selector.matches(pod.metadata.labels),
    signal,
  );
}

function withStart(job: Job, nowMs: number): Job {
  if (job.status?.startTime !== undefined || isJobSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: formatTime(nowMs) } };
}

function forget(context: JobContext, key: string): void {
  context.deletions.deleteName(key);
  context.finalizers.deleteName(key);
  context.consistency?.deleteName(key);
  context.backoffs.deleteName(key);
}
