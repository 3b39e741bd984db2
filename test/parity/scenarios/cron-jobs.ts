import type { ApiObject } from "../../../pkg/api/object.ts";
import type { CronJob, CronJobSpec, JobSpec } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Scenario, Step } from "../scenario.ts";
import { FOR_EVER, podsThat } from "./jobs.ts";
import { create } from "./objects.ts";

const area = "batch";

function cronJob(
  name: string,
  script: string,
  spec: Partial<CronJobSpec> = {},
  ofJobs: Partial<JobSpec> = {},
): CronJob & ApiObject {
  const template = podsThat(script);
  const metadata = { labels: { cron: name }, annotations: { note: "kept" } };
  const jobTemplate = {
    metadata,
    spec: {
      template: { ...template, metadata: { ...template.metadata, labels: { cron: name } } },
      ...ofJobs,
    },
  };
  const cron = { schedule: "* * * * *", jobTemplate, ...spec };
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name }, spec: cron };
}

const keep = (name: string, spec: Partial<CronJobSpec>): Step => ({
  do: "patch",
  target: `cronJobs/${name}`,
  body: { spec },
});
const stop = (name: string): Step => keep(name, { suspend: true });
const started = (name: string, are: number): Step => ({
  do: "until pods",
  pods: { selector: `cron=${name}` },
  are,
});

export const cronJobs: readonly Scenario[] = [
  {
    name: "cron-job-starts-one",
    area,
    steps: [create(cronJob("cron", "exit 0", { timeZone: "Etc/UTC" })), started("cron", 1), stop("cron")],
  },
  {
    name: "cron-job-whose-jobs-fail",
    area,
    steps: [
      create(cronJob("cron", "exit 1", {}, { backoffLimit: 0 })),
      started("cron", 1),
      stop("cron"),
      keep("cron", { failedJobsHistoryLimit: 0 }),
      started("cron", 0),
    ],
  },
  {
    name: "cron-job-keeps-no-history",
    area,
    steps: [
      create(cronJob("cron", "exit 0")),
      started("cron", 1),
      stop("cron"),
      keep("cron", { successfulJobsHistoryLimit: 0 }),
      started("cron", 0),
    ],
  },
  {
    name: "cron-jobs-while-one-runs",
    area,
    steps: [
      // The others come soon after a minute has begun, so that all see the same two.
      create(cronJob("allows", FOR_EVER)),
      started("allows", 1),
      create(cronJob("forbids", FOR_EVER, { concurrencyPolicy: "Forbid" })),
      create(cronJob("replaces", FOR_EVER, { concurrencyPolicy: "Replace" })),
      started("allows", 3),
      started("forbids", 1),
      started("replaces", 1),
      stop("allows"),
      stop("forbids"),
      stop("replaces"),
    ],
  },
  {
    name: "cron-job-suspended-from-the-start",
    area,
    steps: [
      create(cronJob("waits", "exit 0", { suspend: true })),
      create(cronJob("cron", FOR_EVER)),
      started("cron", 1),
      stop("cron"),
    ],
  },
];
