import { isJobSuspended } from "../../pkg/api/job.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { trueCondition, type Verdict } from "./conditions.ts";
import { hasFailed, type PodOfJob } from "./job-pods.ts";
import { backoffLimit, indexCount, podFailurePolicy } from "./job-spec.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { matchSuccessPolicy } from "./success-policy.ts";
import type { JobView } from "./view.ts";

/**
 * How the Job ends, if it does. What was said before stays so; then failures go before successes: the policy's, the
 * Job's limits, the limits of its indexes.
 */
export function decideVerdict(view: JobView, nowMs: number): Verdict | undefined {
  return (
    earlierVerdict(view.job) ??
    failureByPolicy(view) ??
    failureByLimits(view, nowMs) ??
    failureByIndexes(view) ??
    successByPolicy(view)
  );
}

/** The Job is complete when as many pods as asked for have succeeded, and none runs any more. */
export function decideCompletion(view: JobView, active: number): Verdict | undefined {
  const completions = view.job.spec?.completions;
  // Without a number, one success is enough: the pods know among themselves when all is done.
  const enough = completions === undefined ? view.succeeded > 0 : view.succeeded >= completions;
  if (!enough || active > 0) return undefined;
  return {
    type: "SuccessCriteriaMet",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

/** How long until the Job has been active for too long; undefined when it may be for ever. */
export function untilDeadlineMs(job: Job, nowMs: number): number | undefined {
  const startMs = parseTime(job.status?.startTime);
  const seconds = job.spec?.activeDeadlineSeconds;
  if (seconds === undefined || startMs === undefined || isJobSuspended(job)) return undefined;
  return startMs + Number(seconds) * 1_000 - nowMs;
}

function earlierVerdict(job: Job): Verdict | undefined {
  const met = trueCondition(job, "SuccessCriteriaMet");
  if (met !== undefined) return verdict("SuccessCriteriaMet", met.reason ?? "", met.message ?? "");
  const target = trueCondition(job, "FailureTarget");
  return target && verdict("Failed", target.reason ?? "", target.message ?? "");
}

function failureByPolicy({ job, pods }: JobView): Verdict | undefined {
  const policy = podFailurePolicy(job);
  if (policy === undefined) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? judgeFailure(policy, pod).failsJob : undefined;
    if (message !== undefined) return verdict("FailureTarget", "PodFailurePolicy", message);
  }
  return undefined;
}

function failureByLimits({ job, pods, failed }: JobView, nowMs: number): Verdict | undefined {
  if (failed > backoffLimit(job) || tooManyRestarts(job, pods))
    return verdict("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((untilDeadlineMs(job, nowMs) ?? 1) <= 0)
    return verdict("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline");
  return undefined;
}

/** Where containers are restarted in place no pod fails: restarts count instead. */
function tooManyRestarts(job: Job, pods: readonly PodOfJob[]): boolean {
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    for (const { restartCount } of all) restarts += restartCount;
  }
  return restarts > 0 && restarts >= backoffLimit(job);
}

function failureByIndexes({ job, indexes }: JobView): Verdict | undefined {
  const failed = indexes?.failed?.size ?? 0;
  if (indexes === undefined || failed === 0) return undefined;
  if (failed > (job.spec?.maxFailedIndexes ?? Infinity)) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return verdict("FailureTarget", "MaxFailedIndexesExceeded", message);
  }
  const allDone = failed + indexes.succeeded.size >= indexCount(job);
  return allDone ? verdict("FailureTarget", "FailedIndexes", "Job has failed indexes") : undefined;
}

function successByPolicy({ job, indexes }: JobView): Verdict | undefined {
  if (indexes === undefined) return undefined;
  const message = matchSuccessPolicy(job.spec?.successPolicy, indexCount(job), indexes.succeeded);
  return message === undefined ? undefined : verdict("SuccessCriteriaMet", "SuccessPolicy", message);
}

function verdict(type: Verdict["type"], reason: string, message: string): Verdict {
  return { type, reason, message };
}
