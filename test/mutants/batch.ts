import type { Mutant } from "./mutant.ts";

const CRON_FAULTS = ["controllers/cronjob/faults.test.ts"];

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
    find: "if (job.metadata.uid !== uid) return;",
    replace: "",
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
    name: "takes a stranger's Job of the same name for the one that ran",
    file: "controllers/cronjob/apply.ts",
    find: "return job.metadata.uid === uid;",
    replace: "return true;",
    tests: CRON_FAULTS,
  },
  {
    name: "says only that a CronJob's status could not be written",
    file: "controllers/cronjob/sync.ts",
    find: "const errors = [failure.error, error];",
    replace: "const errors = [error];",
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
];
