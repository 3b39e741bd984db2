import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Verdict } from "./conditions.ts";
import { IndexRanges } from "./index-ranges.ts";
import { counts, hasFailed, hasSucceeded, indexOf, uidOf, validIndexOf, type PodOfJob } from "./job-pods.ts";
import { podFailurePolicy } from "./job-spec.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { isTracked, type JobView } from "./view.ts";

/** Pods that may stand in the status before they are counted: that is about 20 KB. */
const MOST_UNCOUNTED = 500;

/**
 * How pods are counted exactly once, whatever fails in between: first their uids are written into the status (or, for a
 * success with an index, the index); then their finalizers go; then the uids are taken from the status and added to its
 * counters in one write. A pod with the finalizer is not counted; a uid whose pod has no finalizer any more, or is gone,
 * is to be counted.
 */
export interface Accounting {
  /** The status with the new uids, and with those counted whose pods were released before. */
  readonly status: JobStatus;
  readonly changed: boolean;
  /** Pods whose finalizer can go once that status is written. */
  readonly toRelease: readonly PodOfJob[];
  /** uids of the pods that still have the finalizer. */
  readonly tracked: ReadonlySet<string>;
  /** How often each action of the pod failure policy was taken. */
  readonly policyActions: ReadonlyMap<string, number>;
  /** There is more to count than one sync does: the Job cannot be said to have finished. */
  readonly unfinished: boolean;
}

export function decideAccounting(view: JobView, verdict: Verdict | undefined, before: JobStatus): Accounting {
  const { indexes } = view;
  const trackedPods = view.pods.filter((pod) => isTracked(pod, view.released));
  const tracked = new Set(trackedPods.map(uidOf));
  const finished = trackedPods.filter((pod) => canRelease(view, pod, verdict));
  const settled = countReleased(before, tracked);
  const book = new Book(view, verdict, settled);
  const toRelease: PodOfJob[] = [];
  let unfinished = false;
  for (const pod of indexes === undefined ? finished : byIndex(finished)) {
    toRelease.push(pod);
    book.enter(pod);
    if (book.size >= MOST_UNCOUNTED) {
      unfinished = true;
      break;
    }
  }
  const status = book.status(settled);
  const changed = settled !== before || book.entered || indexTextsChanged(before, status);
  return { status, changed, toRelease, tracked, policyActions: book.policyActions, unfinished };
}

/**
 * Counts the uids whose pods have no finalizer any more. The same status when there is none. The counter of successes
 * of an indexed Job comes from its indexes, and no uids of successes are listed there.
 */
export function countReleased(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  const [successes, failures] = [
    succeeded.length - left.succeeded.length,
    failed.length - left.failed.length,
  ];
  if (successes === 0 && failures === 0) return status;
  return {
    ...status,
    ...(successes > 0 && { succeeded: (status.succeeded ?? 0) + successes }),
    ...(failures > 0 && { failed: (status.failed ?? 0) + failures }),
    uncountedTerminatedPods: uncountedOf(left.succeeded, left.failed),
  };
}

/** Whether uids wait to be counted. */
export function hasUncounted({ uncountedTerminatedPods = {} }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods;
  return succeeded.length + failed.length > 0;
}

/** What is entered in one sync. */
class Book {
  readonly #view: JobView;
  readonly #verdict: Verdict | undefined;
  readonly #known: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  readonly #succeeded: string[];
  readonly #failed: string[];
  readonly #newIndexes: number[] = [];
  readonly policyActions = new Map<string, number>();
  entered = false;

  constructor(view: JobView, verdict: Verdict | undefined, settled: JobStatus) {
    this.#view = view;
    this.#verdict = verdict;
    const { succeeded = [], failed = [] } = settled.uncountedTerminatedPods ?? {};
    this.#known = { succeeded: new Set(succeeded), failed: new Set(failed) };
    this.#succeeded = [...succeeded];
    this.#failed = [...failed];
  }

  get size(): number {
    return this.#newIndexes.length + this.#succeeded.length + this.#failed.length;
  }

  enter(pod: PodOfJob): void {
    const uid = uidOf(pod);
    const { job } = this.#view;
    if (hasSucceeded(pod) && !this.#known.failed.has(uid)) return this.#enterSuccess(pod, uid);
    // When a Job fails, pods that did not finish count as failed.
    const endsWithJob = this.#verdict !== undefined && this.#verdict.type !== "SuccessCriteriaMet";
    if ((!hasFailed(pod, job) && !endsWithJob) || this.#known.failed.has(uid) || !counts(pod, job))
      return undefined;
    const { action, counts: isCounted } = judgeFailure(podFailurePolicy(job), pod);
    if (action !== undefined) this.policyActions.set(action, (this.policyActions.get(action) ?? 0) + 1);
    if (!isCounted) return undefined;
    this.#failed.push(uid);
    this.entered = true;
    return undefined;
  }

  status(settled: JobStatus): JobStatus {
    const uncountedTerminatedPods = uncountedOf(this.#succeeded, this.#failed);
    const { indexes } = this.#view;
    if (indexes === undefined) return { ...settled, uncountedTerminatedPods };
    const succeeded = indexes.succeeded.with(IndexRanges.of(this.#newIndexes));
    const { failedIndexes: _, ...rest } = settled;
    return {
      ...rest,
      uncountedTerminatedPods,
      succeeded: succeeded.size,
      completedIndexes: succeeded.toString(),
      ...(indexes.failed && { failedIndexes: indexes.failed.toString() }),
    };
  }

  #enterSuccess(pod: PodOfJob, uid: string): void {
    const { job, indexes } = this.#view;
    if (indexes === undefined) {
      if (this.#known.succeeded.has(uid)) return;
      this.#succeeded.push(uid);
    } else {
      // The index in the status is enough to know that the pod was counted.
      const index = validIndexOf(pod, job);
      if (index === undefined || indexes.succeededBefore.has(index)) return;
      this.#newIndexes.push(index);
    }
    this.entered = true;
  }
}

/**
 * A pod that failed stays while it is the only witness of the failures of its index, for the pod that replaces it; unless
 * none can: a namespace that is being deleted would wait for the pod, and the pod for its replacement.
 */
function canRelease(view: JobView, pod: PodOfJob, verdict: Verdict | undefined): boolean {
  const { job, indexes } = view;
  if (job.metadata.deletionTimestamp !== undefined || verdict !== undefined || hasSucceeded(pod)) return true;
  if (!hasFailed(pod, job)) return false;
  const index = indexOf(pod);
  return index === undefined || view.namespaceLeaves || indexes?.lastFailed.get(index) !== pod;
}

function indexTextsChanged(before: Job["status"], after: JobStatus): boolean {
  return (
    (before?.completedIndexes ?? "") !== (after.completedIndexes ?? "") ||
    before?.failedIndexes !== after.failedIndexes
  );
}

function uncountedOf(
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus["uncountedTerminatedPods"]> {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}

function byIndex(pods: readonly PodOfJob[]): readonly PodOfJob[] {
  return pods
    .map((pod) => ({ pod, index: indexOf(pod) ?? -1 }))
    .toSorted((one, other) => one.index - other.index)
    .map(({ pod }) => pod);
}
