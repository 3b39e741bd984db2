import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { totalIndexFailures } from "./backoff.ts";
import { IndexRanges } from "./index-ranges.ts";
import {
  finishedMs,
  hasFailed,
  hasFinalizer,
  hasSucceeded,
  indexFailures,
  indexOf,
  uidOf,
  validIndexOf,
  type PodOfJob,
} from "./job-pods.ts";
import { hasLimitPerIndex, indexCount, podFailurePolicy } from "./job-spec.ts";
import { judgeFailure } from "./pod-failure-policy.ts";

/** What has become of the indexes of a Job. */
export interface IndexView {
  /** As the status has them. */
  readonly succeededBefore: IndexRanges;
  /** With those that pods have succeeded in since. */
  readonly succeeded: IndexRanges;
  /** Undefined when there is no limit per index. */
  readonly failed: IndexRanges | undefined;
  /**
   * For each index that is to be tried again, the pod that failed last. It keeps its finalizer until its replacement is
   * there, as it alone knows how often the index has failed.
   */
  readonly lastFailed: ReadonlyMap<number, PodOfJob>;
}

export function indexViewOf(
  job: Job,
  pods: readonly PodOfJob[],
  active: readonly PodOfJob[],
  released: ReadonlySet<string>,
): IndexView {
  const completions = indexCount(job);
  const succeededBefore = IndexRanges.parse(job.status?.completedIndexes ?? "", completions);
  const succeeded = succeededBefore.with(IndexRanges.of(indexesOf(pods, job, hasSucceeded)));
  if (!hasLimitPerIndex(job)) return { succeededBefore, succeeded, failed: undefined, lastFailed: new Map() };
  const failedBefore = IndexRanges.parse(job.status?.failedIndexes ?? "", completions);
  const failed = failedBefore.with(IndexRanges.of(indexesOf(pods, job, (pod) => failsIndex(pod, job))));
  const settled = succeeded.with(failed).with(activeIndexes(active));
  const candidates = pods.filter((pod) => hasFailed(pod, job) && !released.has(uidOf(pod)));
  return { succeededBefore, succeeded, failed, lastFailed: lastFailedPods(candidates, job, settled) };
}

/** All indexes of these pods, also those that the Job has no more. */
export function activeIndexes(pods: readonly PodOfJob[]): IndexRanges {
  return IndexRanges.of(pods.map(indexOf).filter((index) => index !== undefined));
}

function* indexesOf(pods: readonly PodOfJob[], job: Job, is: (pod: PodOfJob) => boolean): Iterable<number> {
  for (const pod of pods) {
    const index = hasFinalizer(pod) && is(pod) ? validIndexOf(pod, job) : undefined;
    if (index !== undefined) yield index;
  }
}

/** The pod's failure is one too many for its index. */
function failsIndex(pod: PodOfJob, job: Job): boolean {
  if (!hasFailed(pod, job)) return false;
  const { action, counts } = judgeFailure(podFailurePolicy(job), pod);
  return action === "FailIndex" || (counts && indexFailures(pod) >= (job.spec?.backoffLimitPerIndex ?? 0));
}

function lastFailedPods(
  failed: readonly PodOfJob[],
  job: Job,
  settled: IndexRanges,
): ReadonlyMap<number, PodOfJob> {
  const last = new Map<number, PodOfJob>();
  for (const pod of failed) {
    const index = hasFinalizer(pod) ? validIndexOf(pod, job) : undefined;
    if (index === undefined || settled.has(index)) continue;
    const other = last.get(index);
    const isLater =
      other === undefined ||
      (totalIndexFailures(pod) >= totalIndexFailures(other) && finishedMs(pod) >= finishedMs(other));
    if (isLater) last.set(index, pod);
  }
  return last;
}
