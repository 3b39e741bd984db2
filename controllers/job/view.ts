import { isPodActive, isPodReady, isPodTerminating } from "../../pkg/api/pod.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { backoffAfter, type BackoffRecord, NO_FAILURES } from "./backoff.ts";
import { counts, hasFailed, hasFinalizer, hasSucceeded, uidOf, type PodOfJob } from "./job-pods.ts";
import { isIndexed, podFailurePolicy } from "./job-spec.ts";
import { type IndexView, indexViewOf } from "./index-view.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import type { Stored } from "../../pkg/api/object.ts";

const NONE: ReadonlySet<string> = new Set();

/** A Job and its pods, as one sync sees them. */
export interface JobView {
  readonly job: Stored<Job>;
  readonly pods: readonly PodOfJob[];
  readonly active: readonly PodOfJob[];
  readonly ready: number;
  readonly terminating: number;
  /** Pods whose finalizer was taken off, though the cache does not show it yet: they are counted. */
  readonly released: ReadonlySet<string>;
  /** What succeeded and failed, as counted by the status and as seen since. */
  readonly succeeded: number;
  readonly failed: number;
  /** Failures in a row, once what is seen now is counted. */
  readonly backoff: BackoffRecord;
  /** Nothing can be created in its namespace any more. */
  readonly namespaceLeaves: boolean;
  /** Undefined without indexes. */
  readonly indexes: IndexView | undefined;
}

/** What is known of a Job beside the Job and its pods. */
export type Remembered = Partial<Pick<JobView, "released" | "backoff" | "namespaceLeaves">>;

/** `backoff` is the record before what is seen now. */
export function viewOf(
  job: Stored<Job>,
  pods: readonly PodOfJob[],
  { released = NONE, backoff = NO_FAILURES, namespaceLeaves = false }: Remembered = {},
): JobView {
  const status = job.status ?? {};
  const uncounted = status.uncountedTerminatedPods ?? {};
  const newlyIn = (listed: readonly string[], is: (pod: PodOfJob) => boolean): readonly PodOfJob[] => {
    const known = new Set(listed);
    return pods.filter(
      (pod) => isTracked(pod, released) && !known.has(uidOf(pod)) && counts(pod, job) && is(pod),
    );
  };
  const { succeeded: listedSucceeded = [], failed: listedFailed = [] } = uncounted;
  const newSucceeded = newlyIn(listedSucceeded, hasSucceeded);
  const newFailed = newlyIn(listedFailed, (pod) => hasFailed(pod, job));
  const policy = podFailurePolicy(job);
  const counted = newFailed.filter((pod) => judgeFailure(policy, pod).counts).length;
  const active = pods.filter(isPodActive);
  const indexes = isIndexed(job) ? indexViewOf(job, pods, active, released) : undefined;
  return {
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    released,
    succeeded:
      indexes?.succeeded.size ?? (status.succeeded ?? 0) + newSucceeded.length + listedSucceeded.length,
    failed: (status.failed ?? 0) + counted + listedFailed.length,
    backoff: backoffAfter(backoff, newSucceeded, newFailed),
    namespaceLeaves,
    indexes,
  };
}

/** Still to be counted. */
export function isTracked(pod: PodOfJob, released: ReadonlySet<string>): boolean {
  return hasFinalizer(pod) && !released.has(uidOf(pod));
}
