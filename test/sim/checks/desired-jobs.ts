import { hasCondition } from "../../../pkg/api/conditions.ts";
import { finishedCondition, isJobSuspended } from "../../../pkg/api/job.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive, isPodReady } from "../../../pkg/api/pod.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { ownedBy } from "../world/objects.ts";
import type { Differences } from "./differences.ts";
import { failuresOf, indexOf, indexesIn, isTracked, successesOf } from "./job-facts.ts";

/** What Jobs at rest should be: ended, suspended, or with as many pods as are still needed, and all counted. */
export function checkJobs(found: Differences, jobs: readonly Job[], pods: readonly Pod[]): void {
  for (const pod of pods) checkPod(found, pod, jobs);
  for (const job of jobs) {
    const mine = ownedBy(pods, job);
    const active = mine.filter(isPodActive);
    found.compare(job, "number of active pods", active.length, wantedActive(found, job, mine));
    found.compare(job, "status.active", job.status?.active ?? 0, active.length);
    found.compare(job, "status.ready", job.status?.ready ?? 0, active.filter(isPodReady).length);
    found.compare(job, "status.terminating", job.status?.terminating ?? 0, 0);
    checkIndexes(found, job, active);
    const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
    found.compare(job, "pods that wait to be counted", succeeded.length + failed.length, 0);
  }
}

/** Nothing is held back by the finalizer for a Job that does not need it. */
function checkPod(found: Differences, pod: Pod, jobs: readonly Job[]): void {
  const reference = controllerOf(pod);
  if (reference !== undefined && reference.kind !== "Job") return;
  const job = jobs.find(({ metadata }) => metadata.uid === reference?.uid);
  if (reference !== undefined && job === undefined)
    found.add(pod, `its Job ${reference.name} does not exist`);
  if (!isTracked(pod) || (job !== undefined && isPodActive(pod))) return;
  // The last failure of an index tells how often it has failed.
  const isWitness = job?.spec?.backoffLimitPerIndex !== undefined && finishedCondition(job) === undefined;
  if (!isWitness) found.add(pod, "has the finalizer still");
}

function wantedActive(found: Differences, job: Job, pods: readonly Pod[]): number {
  const { parallelism = 1, completions, backoffLimit = 6, activeDeadlineSeconds } = job.spec ?? {};
  const { conditions, failedIndexes } = job.status ?? {};
  if (finishedCondition(job) !== undefined) return 0;
  const isSuspended = isJobSuspended(job);
  found.compare(job, "condition Suspended", hasCondition(conditions, "Suspended", "True"), isSuspended);
  if (isSuspended) return 0;
  const succeeded = successesOf(job, pods);
  const done = succeeded + indexesIn(failedIndexes).size;
  if (
    completions === undefined ? succeeded > 0 && pods.every((pod) => !isPodActive(pod)) : done >= completions
  )
    found.add(job, `has ${succeeded} successes, which are enough, and has not ended`);
  if (job.spec?.backoffLimitPerIndex === undefined && failuresOf(job, pods) > backoffLimit)
    found.add(job, `has failed ${failuresOf(job, pods)} times, more than ${backoffLimit}, and has not ended`);
  if (activeDeadlineSeconds !== undefined) found.add(job, "is active after its deadline");
  // The first success is enough where none are counted: no others are started then, and those that run may go on.
  if (completions === undefined && succeeded > 0) return pods.filter(isPodActive).length;
  return completions === undefined ? parallelism : Math.min(parallelism, completions - done);
}

function checkIndexes(found: Differences, job: Job, active: readonly Pod[]): void {
  const { completionMode, completions = 0 } = job.spec ?? {};
  if (completionMode !== "Indexed") return;
  const completed = indexesIn(job.status?.completedIndexes);
  // Whoever resizes a Job that has ended changes nothing any more.
  const isEnded = finishedCondition(job) !== undefined;
  found.compare(job, "status.succeeded", job.status?.succeeded ?? 0, completed.size);
  for (const index of completed) {
    if (index >= completions && !isEnded) found.add(job, `has completed index ${index} of ${completions}`);
  }
  const indexes = active.map((pod) => indexOf(pod) ?? -1);
  if (new Set(indexes).size < indexes.length) found.add(job, `runs indexes twice: ${indexes.join(", ")}`);
  for (const index of indexes) {
    if (index < 0 || index >= completions || completed.has(index)) found.add(job, `runs index ${index}`);
  }
}
