import { isJobFinished } from "../../pkg/api/job.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { keyOf, type PartialObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Lister } from "../../pkg/cache/store/lister.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { OwningRule } from "../../pkg/controller/wake-rules.ts";
import { BATCH_MS, type JobContext } from "./context.ts";
import {
  hasFinalizer,
  isFinishedAndTracked,
  isForsaken,
  selectorOf,
  uidOf,
  type CachedPod,
} from "./job-pods.ts";
import { externalManager } from "./job-spec.ts";
import { type OrphanKey, SelectedPods } from "./keys.ts";
import { untilDeadlineMs } from "./verdict.ts";

/** New Jobs and new specs are looked at at once; what only the status tells can wait for more of it. */
export function jobRule({ clock }: Pick<JobContext, "clock">): WakeRule<Job> {
  return (change, wake) => {
    const { object: job } = change;
    if (change.type !== "updated") return wake(keyOf(job), 0);
    if (isJobFinished(job)) return;
    const { metadata, spec } = change.before;
    wake(keyOf(job), metadata.generation === job.metadata.generation ? BATCH_MS : 0);
    if (spec?.activeDeadlineSeconds === job.spec?.activeDeadlineSeconds) return;
    const waitMs = untilDeadlineMs(job, clock.nowMs());
    if (waitMs !== undefined) wake(keyOf(job), Math.max(0, waitMs));
  };
}

/** No pod of a Job that has finished or is gone should have the finalizer. Should one have it all the same, it could never go. */
export function orphansOfJobs({ owned }: Pick<JobContext, "owned">): WakeRule<Job, OrphanKey> {
  return ({ type, object: job }, wake) => {
    if (type === "added" || (type === "updated" && !isJobFinished(job))) return;
    const selector = selectorOf(job);
    if (selector !== undefined) wake(SelectedPods.of(job.metadata.namespace, selector.toString()));
    if (type !== "deleted") return;
    // A pod whose labels were changed is not selected any more, and may have been deleted before the Job was.
    for (const pod of owned.ownedBy(job)) {
      if (hasFinalizer(pod) && selector?.matches(pod.metadata.labels) !== true) wake(keyOf(pod));
    }
  };
}

/** A Job that has finished is not synced any more, and so is forgotten here. */
export function jobListener({
  backoffs,
  finished,
  metrics,
}: Pick<JobContext, "backoffs" | "finished" | "metrics">): (change: Change<Job>) => void {
  return ({ type, object: job }) => {
    const manager = externalManager(job);
    if (type === "added" && manager !== undefined) metrics.externalJobs.inc({ controller_name: manager });
    if (type !== "updated" || !isJobFinished(job)) return;
    finished.delete(job);
    backoffs.delete(job);
  };
}

/** A pod is looked at with what else happens in the same while. One that its Job has given up means nothing to it. */
export const itsJob: OwningRule<Job, CachedPod> = {
  selects: (job, pod) => selectorFromSpec(job.spec?.selector).matches(pod.metadata.labels),
  minds: (job, pod) => !isForsaken(pod, job),
  afterMs: BATCH_MS,
};

/** Wakes the key of a pod whose finalizer no Job takes off. */
export function orphanRule({ jobs }: Pick<JobContext, "jobs">): WakeRule<CachedPod, OrphanKey> {
  return (change, wake) => {
    const { object: pod } = change;
    if (!hasFinalizer(pod) || (change.type === "updated" && change.resync)) return;
    if (controllerOf(pod) === undefined) return wake(keyOf(pod));
    if (change.type !== "deleted" && pod.metadata.deletionTimestamp === undefined) return;
    const job = managerOf(jobs.lister, "Job", pod);
    if (job === undefined || isForsaken(pod, job)) wake(keyOf(pod));
  };
}

/** Counts the pods that finish, and takes note of those that are seen without the finalizer. */
export function podListener({
  jobs,
  finalizers,
  metrics,
}: Pick<JobContext, "jobs" | "finalizers" | "metrics">): (change: Change<CachedPod>) => void {
  return (change) => {
    const { type, object: pod } = change;
    const before = type === "added" ? undefined : type === "updated" ? change.before : pod;
    const was = before !== undefined && isFinishedAndTracked(before);
    const is = type !== "deleted" && isFinishedAndTracked(pod);
    if (was !== is) metrics.trackedPods.inc({ event: is ? "add" : "delete" });
    if (type !== "deleted" && hasFinalizer(pod)) return;
    // Not only when it had the finalizer before: several changes may come as one, and another Job may have it since.
    for (const state of before === undefined ? [pod] : [before, pod]) {
      const job = managerOf(jobs.lister, "Job", state);
      if (job !== undefined) finalizers.removalObserved(job, uidOf(pod));
    }
  };
}

/** A namespace that is being deleted waits for its pods, and they for their Jobs to let them go. */
export function namespaceRule(jobs: Lister<Job>): WakeRule<PartialObject> {
  return (change, wake) => {
    if (change.type !== "updated" || change.object.metadata.deletionTimestamp === undefined) return;
    if (change.before.metadata.deletionTimestamp !== undefined) return;
    for (const job of jobs.inNamespace(change.object.metadata.name)) wake(keyOf(job), 0);
  };
}
