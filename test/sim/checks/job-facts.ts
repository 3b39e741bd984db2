import { isJobFinished, isJobSuspended } from "../../../pkg/api/job.ts";
import { hasCondition } from "../../../pkg/api/conditions.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";

// What the API's documentation says of Jobs, for checks that are not to share the controller's mistakes.

export const TRACKING = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";

export const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(TRACKING) === true;

export const hasSucceeded = (pod: Pod): boolean => pod.status?.phase === "Succeeded";

/** Deletion is failure, unless the Job has replacements wait for the end of what they replace. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return waitsForEnd(job) ? false : pod.metadata.deletionTimestamp !== undefined && !hasSucceeded(pod);
}

export function waitsForEnd({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** A failure that the policy of these Jobs (job-samples.ts) passes over. */
export function isIgnored(pod: Pod, { spec }: Job): boolean {
  return (
    spec?.podFailurePolicy !== undefined && hasCondition(pod.status?.conditions, "DisruptionTarget", "True")
  );
}

export function indexOf(pod: Pod): number | undefined {
  const index = pod.metadata.annotations?.[INDEX];
  return index === undefined ? undefined : Number(index);
}

/** "1,3-5" has 1, 3, 4 and 5. */
export function indexesIn(text: string | undefined): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",").filter((each) => each !== "")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Successes as they stand: those in the status, and those of pods that it does not list yet. */
export function successesOf(job: Job, pods: readonly Pod[]): number {
  const { completions = 0, completionMode } = job.spec ?? {};
  const done = pods.filter((pod) => isTracked(pod) && hasSucceeded(pod));
  if (completionMode === "Indexed") {
    const indexes = [...indexesIn(job.status?.completedIndexes), ...done.map((pod) => indexOf(pod) ?? -1)];
    return new Set(indexes.filter((index) => index >= 0 && index < completions)).size;
  }
  const listed = new Set(job.status?.uncountedTerminatedPods?.succeeded);
  return (
    (job.status?.succeeded ?? 0) +
    listed.size +
    done.filter(({ metadata }) => !listed.has(metadata.uid ?? "")).length
  );
}

export function failuresOf(job: Job, pods: readonly Pod[]): number {
  const listed = new Set(job.status?.uncountedTerminatedPods?.failed);
  const failed = pods.filter(
    (pod) =>
      isTracked(pod) && hasFailed(pod, job) && !isIgnored(pod, job) && !listed.has(pod.metadata.uid ?? ""),
  );
  return (job.status?.failed ?? 0) + listed.size + failed.length;
}

/** How many pods may run at once now. */
export function mostActive(job: Job, pods: readonly Pod[]): number {
  const { parallelism = 1, completions, backoffLimit = 6, backoffLimitPerIndex } = job.spec ?? {};
  if (job.metadata.deletionTimestamp !== undefined || isJobFinished(job) || isJobSuspended(job)) return 0;
  if (isEnding(job)) return 0;
  if (backoffLimitPerIndex === undefined && failuresOf(job, pods) > backoffLimit) return 0;
  const succeeded = successesOf(job, pods);
  if (completions === undefined) return succeeded > 0 ? 0 : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** It has been decided how the Job ends. */
export function isEnding({ status }: Job): boolean {
  return ["FailureTarget", "SuccessCriteriaMet"].some((type) =>
    hasCondition(status?.conditions, type, "True"),
  );
}
