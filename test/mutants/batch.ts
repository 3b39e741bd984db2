import type { Mutant } from "./mutant.ts";

const CRON_FAULTS = ["controllers/cronjob/faults.test.ts"];

const JOB = [
  "controllers/job/stale-caches.test.ts",
  "controllers/job/sync.test.ts",
  "controllers/job/handlers.test.ts",
  "controllers/job/refusals.test.ts",
];

export const batchMutants: readonly Mutant[] = [
  {
    name: "forgets that one Job was replaced when the next could not be",
    file: "controllers/cronjob/sync.ts",
    find: "      this.#cronJob = withoutActive(this.#cronJob, reference.uid);\n    }\n  }\n\n  #tell",
    replace: "    }\n  }\n\n  #tell",
    tests: CRON_FAULTS,
  },
  {
    name: "replaces a stranger's Job of the same name",
    file: "controllers/cronjob/apply.ts",
    find: "job = await readLive(context.jobClient, { ...reference, uid: reference.uid }, signal);",
    replace:
      "job = await context.jobClient.get({ namespace: 'default', name: reference.name ?? '' }, {}, signal);",
    tests: CRON_FAULTS,
  },
  {
    name: "does not say why a Job could not be replaced",
    file: "controllers/cronjob/apply.ts",
    find: ", { cause: error });",
    replace: ");",
    tests: CRON_FAULTS,
  },
  {
    name: "takes a Job that is gone for one that runs",
    file: "controllers/cronjob/sync.ts",
    find: "if ((await readLive(this.#context.jobClient, identity, this.#sync.signal)) !== undefined) continue;",
    replace: "continue;",
    tests: CRON_FAULTS,
  },
  {
    name: "says only that a CronJob's status could not be written",
    file: "controllers/cronjob/sync.ts",
    find: "return throwAfter(error, async () => run.writeStatus());",
    replace: "await run.writeStatus();\n    throw error;",
    tests: CRON_FAULTS,
  },
  {
    name: "looks at all starts of a CronJob one by one",
    file: "controllers/cronjob/missed-schedules.ts",
    find: "const STEPS = 8;",
    replace: "const STEPS = Infinity;",
    tests: ["controllers/cronjob/missed-schedules.test.ts"],
  },
  {
    name: "finds an earlier start than the last one of a CronJob",
    file: "controllers/cronjob/missed-schedules.ts",
    find: "if (laterMs === undefined) nothingAfterMs = halfWayMs;",
    replace: "if (laterMs === undefined || laterMs > halfWayMs + 1e9) nothingAfterMs = halfWayMs;",
    tests: ["controllers/cronjob/missed-schedules.test.ts"],
  },
  {
    name: "waits for pods of a Job that could not be created",
    file: "controllers/job/apply.ts",
    find: "context.expectations.lower(job, count - successes, 0);",
    replace: "",
    tests: JOB,
  },
  {
    name: "waits for the deletion of a Job's pod that was refused",
    file: "controllers/job/apply.ts",
    find: "context.deletions.deletionObserved(job, keyOf(pod));\n      throw error;",
    replace: "throw error;",
    tests: JOB,
  },
  {
    name: "takes a pod for released whose finalizer could not be taken off",
    file: "controllers/job/apply.ts",
    find: "context.finalizers.removalObserved(job, uidOf(pod));\n      if (!isNotFound(error)) {",
    replace: "if (!isNotFound(error)) {",
    tests: JOB,
  },
  {
    name: "does not record that a Job's status was written",
    file: "controllers/job/apply.ts",
    find: "context.consistency?.wroteOwner(resources.jobs, updated);",
    replace: "",
    tests: JOB,
  },
  {
    name: "does not wake a Job when its deadline is set",
    file: "controllers/job/handlers.ts",
    find: "if (waitMs !== undefined) queues.jobs.addAfter(keyOf(after), Math.max(0, waitMs));",
    replace: "",
    tests: JOB,
  },
  {
    name: "leaves pods of a Job that was deleted to nobody",
    file: "controllers/job/handlers.ts",
    find: "    forgetFinished(context, job);\n    enqueueSelected(queues, job);",
    replace: "    forgetFinished(context, job);",
    tests: JOB,
  },
  {
    name: "counts a Job's pods before they are seen",
    file: "controllers/job/handlers.ts",
    find: "context.expectations.creationObserved(job);",
    replace: "",
    tests: JOB,
  },
  {
    name: "does not throw what went wrong in a Job's sync",
    file: "controllers/job/sync.ts",
    find: "if (outcome.error !== undefined) throw outcome.error;",
    replace: "",
    tests: JOB,
  },
  {
    name: "does not come back when pods that were expected are given up",
    file: "controllers/job/sync.ts",
    find: "[deadlineMs, waitMs, givenUpMs]",
    replace: "[deadlineMs, waitMs]",
    tests: JOB,
  },
  {
    name: "does not come back at a Job's deadline",
    file: "controllers/job/sync.ts",
    find: "[deadlineMs, waitMs, givenUpMs]",
    replace: "[waitMs, givenUpMs]",
    tests: JOB,
  },
  {
    name: "adopts pods of a Job without the finalizer",
    file: "controllers/job/sync.ts",
    find: "finalizers: [TRACKING_FINALIZER],",
    replace: "",
    tests: JOB,
  },
  {
    name: "keeps only the first of what failed for a Job's pods",
    file: "pkg/api/errors.ts",
    find: "if (errors.length <= 1) return errors[0];",
    replace: "if (errors.length > 0) return errors[0];",
    tests: ["pkg/api/errors.test.ts"],
  },
];
