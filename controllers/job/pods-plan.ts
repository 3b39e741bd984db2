import { leastOf, smallest } from "../../pkg/api/extremes.ts";
import { isJobSuspended } from "../../pkg/api/job.ts";
import { isPodTerminating } from "../../pkg/api/pod.ts";
import { byDeletionOrder } from "../../pkg/api/pod-ranking.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { backoffRemainingMs, indexBackoffRemainingMs } from "./backoff.ts";
import { activeIndexes, type IndexView } from "./index-view.ts";
import { indexOf, type PodOfJob } from "./job-pods.ts";
import { hasLimitPerIndex, indexCount, isIndexed, parallelism, replacesFailedOnly } from "./job-spec.ts";
import type { JobView } from "./view.ts";

/** Pods that are created or deleted in one sync. */
const MOST_PER_SYNC = 500;

/** What is done about the pods that run. */
export type PodsPlan =
  | { readonly action: "none" }
  | { readonly action: "delete"; readonly pods: readonly PodOfJob[] }
  /** With an index for each, or only a number. */
  | { readonly action: "create"; readonly count: number; readonly indexes: readonly number[] | undefined }
  /** After failures, before others are created. */
  | { readonly action: "wait"; readonly forMs: number };

/** Deletes before it creates, and never does both in one sync. */
export function decidePods(view: JobView, nowMs: number): PodsPlan {
  const { job, active } = view;
  // No bound for a Job that is suspended: it is to stop at once.
  if (isJobSuspended(job)) return { action: "delete", pods: podsToDelete(job, active, active.length, nowMs) };
  const wanted = wantedActive(view);
  const surplus = podsToDelete(job, active, Math.min(active.length - wanted, MOST_PER_SYNC), nowMs);
  if (surplus.length > 0) return { action: "delete", pods: surplus.slice(0, MOST_PER_SYNC) };
  const leaving = replacesFailedOnly(job) ? view.terminating : 0;
  const missing = wanted - leaving - active.length;
  return missing > 0 ? decideCreation(view, Math.min(missing, MOST_PER_SYNC), nowMs) : { action: "none" };
}

function wantedActive({ job, active, succeeded }: JobView): number {
  const completions = job.spec?.completions;
  // Without a number, the first success means that no more pods are needed, but those that run may end.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism(job);
  return Math.max(0, Math.min(completions - succeeded, parallelism(job)));
}

function decideCreation(view: JobView, count: number, nowMs: number): PodsPlan {
  const { job, indexes, backoff } = view;
  if (!hasLimitPerIndex(job)) {
    const forMs = backoffRemainingMs(backoff, nowMs);
    if (forMs > 0) return { action: "wait", forMs };
  }
  if (indexes === undefined) return { action: "create", count, indexes: undefined };
  const pending = pendingIndexes(view, indexes, count);
  if (!hasLimitPerIndex(job)) return { action: "create", count: pending.length, indexes: pending };
  const waits = pending.map((index) => indexBackoffRemainingMs(indexes.lastFailed.get(index), nowMs));
  const ready = pending.filter((_, position) => waits[position] === 0);
  const forMs = smallest(waits);
  if (ready.length === 0 && forMs !== undefined) return { action: "wait", forMs };
  return { action: "create", count: ready.length, indexes: ready };
}

/** The first indexes that have neither succeeded nor failed, and that no pod is at work on. */
export function pendingIndexes(view: JobView, indexes: IndexView, count: number): readonly number[] {
  const { job, pods, active } = view;
  let taken = indexes.succeeded.with(activeIndexes(active));
  if (replacesFailedOnly(job)) taken = taken.with(activeIndexes(pods.filter(isPodTerminating)));
  if (indexes.failed !== undefined) taken = taken.with(indexes.failed);
  return taken.firstMissing(count, indexCount(job));
}

/**
 * At least so many pods: first those without an index that the Job has and all but one of an index, then others, those
 * that have done least before those that have done more.
 */
export function podsToDelete(
  job: Job,
  active: readonly PodOfJob[],
  atLeast: number,
  nowMs: number,
): readonly PodOfJob[] {
  if (atLeast >= active.length) return active;
  const order = byDeletionOrder<PodOfJob>({ nowMs, logarithmicAges: false });
  const first = (pods: readonly PodOfJob[], count: number): readonly PodOfJob[] => {
    const ranked = pods.map((pod) => ({ pod, rank: 0 }));
    return leastOf(ranked, count, order).map(({ pod }) => pod);
  };
  const unneeded = isIndexed(job) ? unneededByIndex(job, active, first) : [];
  if (unneeded.length >= atLeast) return unneeded;
  const chosen = new Set(unneeded);
  const left = active.filter((pod) => !chosen.has(pod));
  return [...unneeded, ...first(left, atLeast - unneeded.length)];
}

function unneededByIndex(
  job: Job,
  active: readonly PodOfJob[],
  first: (pods: readonly PodOfJob[], count: number) => readonly PodOfJob[],
): readonly PodOfJob[] {
  const isIndex = (index: number): boolean => index >= 0 && index < indexCount(job);
  // As a rule every index is one of the Job's and has one pod.
  const crowded = [...Map.groupBy(active, (pod) => indexOf(pod) ?? -1)].filter(
    ([index, pods]) => pods.length > 1 || !isIndex(index),
  );
  return crowded
    .toSorted(([one], [other]) => one - other)
    .flatMap(([index, pods]) => (isIndex(index) ? first(pods, pods.length - 1) : pods));
}
