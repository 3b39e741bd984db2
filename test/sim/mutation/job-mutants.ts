import type { Edit } from "../../mutants/mutant.ts";
import type { Mutant } from "./mutant.ts";

/** Syncs do not wait for the caches to show what was written before. */
const GATE_LEFT_OUT: Edit = {
  file: "pkg/controller/kit.ts",
  find: "gate?.waitMs(key) ?? consistency.waitMs(key)",
  replace: "gate?.waitMs(key)",
};

/** In the controllers of Jobs and CronJobs. */
export const jobMutants: readonly Mutant[] = [
  {
    name: "counts a pod anew while its lost finalizer is not seen yet",
    needs: ["stale cache"],
    file: "controllers/job/sync.ts",
    find: "await countAndFinish(sync, context, view, outcome);",
    replace: "await countAndFinish(sync, context, { ...view, released: new Set() }, outcome);",
    also: GATE_LEFT_OUT,
  },
  {
    name: "lists a pod that is listed already",
    file: "controllers/job/accounting.ts",
    find: "if (this.#known.succeeded.has(uid)) return;",
    replace: "",
  },
  {
    name: "takes finalizers off before the status is written",
    file: "controllers/job/sync-accounting.ts",
    find: "let { job } = view;",
    replace: "await releasePods(sync, context, accounting.toRelease); let { job } = view;",
  },
  {
    name: "takes a conflict for success",
    needs: ["request errors"],
    file: "controllers/job/apply.ts",
    find: "return writes.updateStatus(sync, { ...job, status });",
    replace:
      "return writes.updateStatus(sync, { ...job, status }).catch((error: unknown) => { if ((error as { code?: unknown }).code === 409) return { ...job, status }; throw error; });",
  },
  {
    name: "drops listed pods without counting them",
    file: "controllers/job/accounting.ts",
    find: "...(failures > 0 && { failed: (status.failed ?? 0) + failures }),",
    replace: "",
  },
  {
    name: "ends a Job before all pods are counted",
    file: "controllers/job/sync-accounting.ts",
    find: "final !== undefined && !accounting.unfinished && !hasUncounted(counted) && outcome.terminating === 0;",
    replace: "final !== undefined;",
  },
  {
    name: "forgets the finalizers of orphans",
    file: "controllers/job/handlers.ts",
    find: "if (job === undefined || isForsaken(pod, job)) wake(keyOf(pod));",
    replace: "",
  },
  {
    name: "leaves the finalizer on pods that it needs no more",
    file: "pkg/controller/owned-pods.ts",
    find: "if (this.isTracked(pod)) await this.takeOffFinalizer(pod, signal);",
    replace: "",
  },
  {
    name: "runs one pod more than a Job may",
    file: "controllers/job/pods-plan.ts",
    find: "const missing = wanted - leaving - active.length;",
    replace:
      "const missing = wanted - leaving - active.length + (wanted > 1 && active.length === 0 ? 1 : 0);",
  },
  {
    name: "forgets successes when it counts what is still to be done",
    file: "controllers/job/pods-plan.ts",
    find: "return Math.max(0, Math.min(completions - succeeded, parallelism(job)));",
    replace: "return succeeded < completions ? Math.min(completions, parallelism(job)) : 0;",
  },
  {
    name: "allows a Job one failure more",
    file: "controllers/job/verdict.ts",
    find: "if (failed > backoffLimit(job) ||",
    replace: "if (failed > backoffLimit(job) + 1 ||",
  },
  {
    name: "allows a Job one failure less",
    file: "controllers/job/verdict.ts",
    find: "if (failed > backoffLimit(job) ||",
    replace: "if (failed >= Math.max(1, backoffLimit(job)) ||",
  },
  {
    name: "starts an index that is at work already",
    file: "controllers/job/pods-plan.ts",
    find: "let taken = indexes.succeeded.with(activeIndexes(active));",
    replace: "let taken = indexes.succeeded;",
  },
  {
    name: "replaces a pod before it has ended",
    file: "controllers/job/pods-plan.ts",
    find: "const leaving = replacesFailedOnly(job) ? view.terminating : 0;",
    replace: "const leaving = 0;",
  },
  {
    name: "goes on with a Job that is suspended",
    file: "controllers/job/pods-plan.ts",
    find: "if (isJobSuspended(job)) return {",
    replace: "if (isJobSuspended(job) && active.length === 0) return {",
  },
  {
    name: "does not look again at the deadline of a Job",
    file: "controllers/job/sync.ts",
    find: "const deadlineMs = verdict === undefined ? untilDeadlineMs(job, nowMs) : undefined;",
    replace: "const deadlineMs = undefined as number | undefined;",
  },
  {
    name: "counts failures that a policy ignores",
    file: "controllers/job/pod-failure-policy.ts",
    find: `counts: rule.action !== "Ignore"`,
    replace: "counts: true",
  },
  {
    name: "creates the pods of a Job again before it has seen them",
    needs: ["stale cache"],
    file: "controllers/job/sync.ts",
    find: "const isSettled = owned.settled(owner);",
    replace: "const isSettled = true;",
    also: GATE_LEFT_OUT,
  },
  {
    name: "starts a Job beside another where that is forbidden",
    area: "namespaces",
    file: "controllers/cronjob/start.ts",
    find: `if (concurrencyPolicy === "Forbid" && busy)`,
    replace: `if (concurrencyPolicy === "Forbid" && busy && (false as boolean))`,
  },
  {
    name: "starts Jobs of a CronJob that is suspended",
    area: "namespaces",
    file: "controllers/cronjob/start.ts",
    find: `if (cronJob.spec.suspend === true) return none("it is suspended");`,
    replace: "",
  },
  {
    name: "keeps one finished Job more than it should",
    area: "namespaces",
    file: "controllers/cronjob/finished-jobs.ts",
    find: "return jobs.toSorted(byStartTime).slice(0, jobs.length - limit);",
    replace: "return jobs.toSorted(byStartTime).slice(0, jobs.length - limit - 1);",
  },
  {
    name: "does not note that a Job of a CronJob has finished",
    area: "namespaces",
    file: "controllers/cronjob/finished-jobs.ts",
    find: "cronJob = withoutActive(cronJob, job.metadata.uid);",
    replace: "",
  },
  {
    name: "does not wait for the time to live of a Job",
    file: "controllers/ttlafterfinished/expiry.ts",
    find: "if (expiresMs <= nowMs)",
    replace: "if (true as boolean)",
  },
];
