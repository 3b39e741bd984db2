import { isJobFinished } from "../../pkg/api/job.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Namespace, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { labelsChanged, managerChanged, managerOf } from "../../pkg/controller/owner-lookup.ts";
import { ownedPods } from "../../pkg/controller/pod-index.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import { BATCH_MS, type JobContext } from "./context.ts";
import { hasFinalizer, isFinishedAndTracked, isForsaken, selectorOf, uidOf } from "./job-pods.ts";
import { externalManager } from "./job-spec.ts";
import { untilDeadlineMs } from "./verdict.ts";

type Listening = Pick<
  JobContext,
  | "jobs"
  | "pods"
  | "expectations"
  | "deletions"
  | "finalizers"
  | "backoffs"
  | "finished"
  | "consistency"
  | "clock"
  | "metrics"
>;

export interface JobQueues {
  readonly jobs: WorkQueue<string>;
  /** Pods whose finalizer nobody else takes off: "pod <key>", or "selector <namespace> <selector>". */
  readonly orphans: WorkQueue<string>;
}

/** New Jobs and new specs are looked at at once; what only the status tells can wait for more of it. */
export function jobHandler(context: Listening, queues: JobQueues): EventHandler<Job> {
  const added = (job: Job, priority: Priority): void => {
    queues.jobs.addAfter(keyOf(job), 0, priority);
    const manager = externalManager(job);
    if (manager !== undefined) context.metrics.externalJobs.inc({ controller_name: manager });
  };
  const gone = (job: Job): void => {
    context.consistency?.delete(job);
    forgetFinished(context, job);
    enqueueSelected(queues, job);
    // One whose labels were changed is not selected any more, and may have been deleted before the Job was.
    const selector = selectorOf(job);
    for (const pod of ownedPods(context.pods, job, "Job")) {
      if (hasFinalizer(pod) && selector?.matches(pod.metadata.labels) !== true)
        queues.orphans.add(`pod ${keyOf(pod)}`);
    }
  };

  return {
    onAdd: (job, inInitialList) => added(job, inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: the first is as gone as if that had been told, and so are its pods'
      // reasons to keep the finalizer. What was expected of it says nothing of the second.
      if (before.metadata.uid !== after.metadata.uid) {
        context.deletions.delete(before);
        context.finalizers.delete(before);
        gone(before);
        return added(after, "live");
      }
      // No pod should have the finalizer any more. Should one have it all the same, it could never go.
      if (isJobFinished(after)) {
        forgetFinished(context, after);
        return enqueueSelected(queues, after);
      }
      const changed = before.metadata.generation !== after.metadata.generation;
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      queues.jobs.addAfter(keyOf(after), changed ? 0 : BATCH_MS, isResync ? "background" : "live");
      const deadline = after.spec?.activeDeadlineSeconds;
      if (deadline === before.spec?.activeDeadlineSeconds) return undefined;
      const waitMs = untilDeadlineMs(after, context.clock.nowMs());
      if (waitMs !== undefined) queues.jobs.addAfter(keyOf(after), Math.max(0, waitMs));
      return undefined;
    },
    onDelete: (job) => {
      queues.jobs.addAfter(keyOf(job), 0);
      gone(job);
    },
  };
}

/** Wakes the Job of a pod that changed, and for a pod without one all that could adopt it. */
export function podHandler(context: Listening, queues: JobQueues): EventHandler<Pod> {
  const ownerOf = (pod: Pod): Job | undefined => managerOf(context.jobs, "Job", pod);
  const wake = (job: Job, priority: Priority = "live"): void =>
    queues.jobs.addAfter(keyOf(job), BATCH_MS, priority);
  const wakeAdopters = (pod: Pod, priority: Priority = "live"): void => {
    for (const job of adoptersOf(context, pod)) wake(job, priority);
  };
  const leaveToOrphans = (pod: Pod): void => {
    if (hasFinalizer(pod)) queues.orphans.add(`pod ${keyOf(pod)}`);
  };

  /** `isGone`: the pod is no more; otherwise it is being deleted, and may have its finalizer yet. */
  const leaving = (pod: Pod, isGone: boolean): void => {
    if (controllerOf(pod) === undefined) return leaveToOrphans(pod);
    const job = ownerOf(pod);
    if (job === undefined || isForsaken(pod, job)) return leaveToOrphans(pod);
    context.deletions.deletionObserved(job, keyOf(pod));
    if (isGone || !hasFinalizer(pod)) context.finalizers.removalObserved(job, uidOf(pod));
    return wake(job);
  };

  return {
    onAdd: (pod, inInitialList) => {
      countTracked(context, undefined, pod);
      // After a restart a pod may be seen for the first time while it is being deleted: no creation to be counted.
      if (pod.metadata.deletionTimestamp !== undefined) return leaving(pod, false);
      const priority = inInitialList ? "background" : "live";
      if (controllerOf(pod) === undefined) {
        leaveToOrphans(pod);
        return wakeAdopters(pod, priority);
      }
      const job = ownerOf(pod);
      if (job === undefined) return undefined;
      context.expectations.creationObserved(job);
      return wake(job, priority);
    },
    onUpdate: (before, after) => {
      countTracked(context, before, after);
      // A resync: the same version again.
      if (before.metadata.resourceVersion === after.metadata.resourceVersion) return undefined;
      const observed = (job: Job): void => {
        // Not only when it had the finalizer before: several changes may come as one.
        if (!hasFinalizer(after)) context.finalizers.removalObserved(job, uidOf(after));
        wake(job);
      };
      const handedOver = managerChanged(before, after);
      const former = handedOver ? ownerOf(before) : undefined;
      if (former !== undefined) observed(former);
      if (after.metadata.deletionTimestamp !== undefined) {
        // Taken away and deleted between two looks, it is its former Job that lacks it.
        if (former !== undefined) context.deletions.deletionObserved(former, keyOf(after));
        return leaving(after, false);
      }
      if (controllerOf(after) !== undefined) {
        const job = ownerOf(after);
        return job && observed(job);
      }
      leaveToOrphans(after);
      return handedOver || labelsChanged(before, after) ? wakeAdopters(after) : undefined;
    },
    onDelete: (pod) => {
      countTracked(context, pod, undefined);
      leaving(pod, true);
    },
  };
}

/** A namespace that is being deleted waits for its pods, and they for their Jobs to let them go. */
export function namespaceHandler(
  { jobs }: Pick<JobContext, "jobs">,
  queues: Pick<JobQueues, "jobs">,
): EventHandler<Namespace> {
  return {
    onUpdate: (before, after) => {
      const [was, is] = [before, after].map(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (was === true || is !== true) return;
      for (const job of jobs.inNamespace(after.metadata.name ?? "")) queues.jobs.addAfter(keyOf(job), 0);
    },
  };
}

function forgetFinished(context: Listening, job: Job): void {
  context.finished.delete(job.metadata.uid ?? "");
  context.backoffs.delete(job);
}

function enqueueSelected(queues: JobQueues, job: Job): void {
  const selector = selectorOf(job);
  if (selector !== undefined)
    queues.orphans.add(`selector ${job.metadata.namespace ?? ""} ${selector.toString()}`);
}

/** The Jobs of the pod's namespace whose selectors match it. */
function adoptersOf(context: Listening, pod: Pod): readonly Job[] {
  if (Object.keys(pod.metadata.labels ?? {}).length === 0) return [];
  return context.jobs
    .inNamespace(pod.metadata.namespace ?? "")
    .filter((job) => selectorOf(job)?.matches(pod.metadata.labels) ?? false);
}

function countTracked({ metrics }: Listening, before: Pod | undefined, after: Pod | undefined): void {
  const was = before !== undefined && isFinishedAndTracked(before);
  const is = after !== undefined && isFinishedAndTracked(after);
  if (was !== is) metrics.trackedPods.inc({ event: is ? "add" : "delete" });
}
