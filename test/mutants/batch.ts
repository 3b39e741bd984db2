import type { Mutant } from "./mutant.ts";

const CRON_FAULTS = ["controllers/cronjob/faults.test.ts"];

const JOB = [
  "controllers/job/stale-caches.test.ts",
  "controllers/job/sync.test.ts",
  "controllers/job/handlers.test.ts",
  "controllers/job/refusals.test.ts",
  "controllers/job/wiring.test.ts",
];

const OWNED_PODS = ["pkg/controller/owned-pods.test.ts", "pkg/controller/counted-pods.test.ts"];

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
    name: "waits for pods that could not be created",
    file: "pkg/controller/owned-pods.ts",
    find: "this.#expectations.lower(owner, count - successes, 0);",
    replace: "",
    tests: OWNED_PODS,
  },
  {
    name: "takes the finalizer off a pod that has taken the name of another",
    file: "pkg/controller/pod-control.ts",
    find: "const body = { metadata: { uid, ",
    replace: "void uid;\n    const body = { metadata: { ",
    tests: JOB,
  },
  {
    name: "takes every refusal of a patch for the end of the pod",
    file: "pkg/controller/read-live.ts",
    find: 'error.causes.some(({ field }) => field === "metadata.uid")',
    replace: "error.causes.length >= 0",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "deletes all pods of a Job at once, however many",
    file: "pkg/controller/pod-batches.ts",
    find: "sideBySide(pods, MOST_DELETIONS_AT_ONCE,",
    replace: "sideBySide(pods, pods.length + 0 * MOST_DELETIONS_AT_ONCE,",
    tests: ["pkg/controller/pod-batches.test.ts"],
  },
  {
    name: "waits for the end of pods whose owner ends",
    file: "pkg/controller/owned-pods.ts",
    find: "return this.#batches.remove(pods, async (pod) => this.#control.delete(pod, owner, signal));",
    replace:
      "this.#deletions.expectDeletions(owner, pods.map(keyOf));\n    return this.#batches.remove(pods, async (pod) => this.#control.delete(pod, owner, signal));",
    tests: OWNED_PODS,
  },
  {
    name: "gives a pod the prefix of the owner's name where it has one of its own",
    file: "pkg/controller/pod-control.ts",
    find: "podFromTemplate(template, owner, controller, generateName)",
    replace: "podFromTemplate(template, owner, controller, void generateName)",
    tests: OWNED_PODS,
  },
  {
    name: "keeps what is remembered of a Job that is gone",
    file: "controllers/job/controller.ts",
    find: "remembers: [owned, finalizers, backoffs, finished],",
    replace: "remembers: [owned, finalizers, backoffs], ...(void finished, {}),",
    tests: JOB,
  },
  {
    name: "has several keys for the same orphans",
    file: "controllers/job/keys.ts",
    find: "return SelectedPods.#known.of(new SelectedPods(namespace, selector));",
    replace: "void SelectedPods.#known;\n    return new SelectedPods(namespace, selector);",
    tests: ["controllers/job/keys.test.ts"],
  },
  {
    name: "takes a pod for released whose finalizer could not be taken off",
    file: "controllers/job/apply.ts",
    find: "finalizers.removalObserved(owner, uidOf(pod));",
    replace: "",
    tests: JOB,
  },
  {
    name: "does not record that a status was written",
    file: "pkg/controller/recorded-writes.ts",
    find: "return this.wrote(writer, await this.#client.updateStatus(changed, {}, writer.signal));",
    replace: "return this.#client.updateStatus(changed, {}, writer.signal);",
    tests: [
      "pkg/controller/owned-objects.test.ts",
      "controllers/disruption/sync.test.ts",
      "controllers/daemonset/wiring.test.ts",
    ],
  },
  {
    name: "does not wake a Job when its deadline is set",
    file: "controllers/job/handlers.ts",
    find: "if (waitMs !== undefined) wake(keyOf(job), Math.max(0, waitMs));",
    replace: "void waitMs;",
    tests: JOB,
  },
  {
    name: "leaves pods of a Job that was deleted to nobody",
    file: "controllers/job/handlers.ts",
    find: "if (selector !== undefined) wake(SelectedPods.of(job.metadata.namespace, selector.toString()));",
    replace: "void SelectedPods;",
    tests: JOB,
  },
  {
    name: "counts an owner's pods before they are seen",
    file: "pkg/controller/owned-pods.ts",
    find: "observer: this, log",
    replace: "log",
    tests: ["pkg/controller/counted-pods.test.ts"],
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
    file: "pkg/controller/owned-pods.ts",
    find: "...(finalizer !== undefined && { finalizers: [finalizer] }),",
    replace: "...(void finalizer, {}),",
    tests: OWNED_PODS,
  },
  {
    name: "keeps only the first of what failed for a Job's pods",
    file: "pkg/api/errors.ts",
    find: "if (errors.length <= 1) return errors[0];",
    replace: "if (errors.length > 0) return errors[0];",
    tests: ["pkg/api/errors.test.ts"],
  },
];
