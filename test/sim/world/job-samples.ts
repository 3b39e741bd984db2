import type { CronJob, Job, JobSpec } from "../../../pkg/api/types/batch-v1.gen.ts";
import { SCRIPT_ANNOTATION } from "../../../pkg/cluster/hollow/script.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";

/** How many seconds a container takes to end when it is told to. */
const STOPS_AFTER = "kcm.dev/stops-after";
/** What the container of a Job does. Exit code 42 is the one that a policy makes the Job fail for. */
const WORK = [
  "sleep 1; exit 0",
  "sleep 5; exit 0",
  "sleep 20; exit 0",
  "sleep 20; exit 0",
  "sleep 3; exit 1",
  "sleep 10; exit 42",
  // Ends only by the hand of a user.
  "run",
];

function choose<T>(random: Random, from: readonly T[]): T | undefined {
  return from[randomBelow(random, from.length)];
}

const sometimes = <T>(random: Random, share: number, what: () => T): Partial<T> =>
  random.next() < share ? what() : {};

export function newJobSpec(random: Random): JobSpec {
  const completions = random.next() < 0.8 ? 1 + randomBelow(random, 6) : undefined;
  const isIndexed = completions !== undefined && random.next() < 0.5;
  const isRestarted = random.next() < 0.15;
  return {
    parallelism: randomBelow(random, 5),
    ...(completions !== undefined && { completions }),
    ...(isIndexed && { completionMode: "Indexed" }),
    // Back-off doubles: with few failures allowed all is over before the cluster is looked at.
    backoffLimit: randomBelow(random, 4),
    // What is restarted for ever never comes to rest.
    ...(isIndexed && !isRestarted && sometimes(random, 0.3, () => perIndex(random))),
    ...(isIndexed && sometimes(random, 0.2, () => ({ successPolicy: { rules: [{ succeededCount: 1 }] } }))),
    ...sometimes(random, 0.15, () => ({ activeDeadlineSeconds: 10 + randomBelow(random, 120) })),
    ...sometimes(random, 0.15, () => ({ suspend: true })),
    ...(isRestarted ? {} : replacement(random)),
    template: {
      metadata: {
        annotations: {
          [SCRIPT_ANNOTATION]: choose(random, WORK) ?? "",
          ...sometimes(random, 0.5, () => ({ [STOPS_AFTER]: "5" })),
        },
      },
      spec: {
        restartPolicy: isRestarted ? "OnFailure" : "Never",
        containers: [{ name: "main", image: "work:1" }],
        terminationGracePeriodSeconds: 10,
      },
    },
  };
}

function perIndex(random: Random): Partial<JobSpec> {
  return {
    backoffLimitPerIndex: randomBelow(random, 3),
    backoffLimit: 1_000,
    ...sometimes(random, 0.5, () => ({ maxFailedIndexes: randomBelow(random, 3) })),
  };
}

function replacement(random: Random): Partial<JobSpec> {
  const share = random.next();
  if (share < 0.2) return { podReplacementPolicy: "Failed" };
  if (share > 0.4) return {};
  return {
    podFailurePolicy: {
      rules: [
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
      ],
    },
  };
}

export function newJob(random: Random): Job {
  const name = `job-${randomBelow(random, 4)}`;
  return { metadata: { name }, spec: newJobSpec(random) };
}

/** With a time to live. */
export function newShortLivedJob(random: Random): Job {
  const job = newJob(random);
  return { ...job, spec: { ...newJobSpec(random), ttlSecondsAfterFinished: randomBelow(random, 60) } };
}

export function newCronJob(random: Random): CronJob {
  const name = `cron-${randomBelow(random, 2)}`;
  const work = choose(random, WORK) ?? "";
  return {
    metadata: { name },
    spec: {
      schedule: choose(random, ["* * * * *", "*/2 * * * *", "1-59/3 * * * *"]) ?? "",
      concurrencyPolicy: choose(random, ["Allow", "Forbid", "Replace"]) ?? "Allow",
      ...sometimes(random, 0.5, () => ({ successfulJobsHistoryLimit: randomBelow(random, 3) })),
      ...sometimes(random, 0.5, () => ({ failedJobsHistoryLimit: randomBelow(random, 3) })),
      ...sometimes(random, 0.3, () => ({ startingDeadlineSeconds: 10 + randomBelow(random, 100) })),
      jobTemplate: {
        spec: {
          backoffLimit: randomBelow(random, 2),
          template: {
            metadata: { annotations: { [SCRIPT_ANNOTATION]: work } },
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: "work:1" }] },
          },
        },
      },
    },
  };
}
