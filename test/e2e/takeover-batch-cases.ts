import { hasCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CronJob, Job, JobSpec } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import { SCRIPT_ANNOTATION } from "../../pkg/cluster/hollow/script.ts";
import type { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import type { Journey, Settled } from "./takeover-cases.ts";

const FOR_EVER = "run";
const indexed = (completions: number, parallelism: number): Partial<JobSpec> => ({
  completionMode: "Indexed",
  completions,
  parallelism,
});

function template(script: string): JobSpec["template"] {
  return {
    metadata: { annotations: { [SCRIPT_ANNOTATION]: script } },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image: "main:1" }],
    },
  };
}

function jobsOf({ client }: Deployments): ResourceClient<Job> {
  return client.clientFor<Job>(resources.jobs);
}

async function createJob(scene: Deployments, script: string, spec: Partial<JobSpec> = {}): Promise<void> {
  const metadata = { name: "job", namespace: scene.namespace };
  await jobsOf(scene).create({ metadata, spec: { template: template(script), ...spec } });
}

async function createCronJob(scene: Deployments, schedule: string): Promise<void> {
  await scene.client.clientFor<CronJob>(resources.cronJobs).create({
    metadata: { name: "cron", namespace: scene.namespace },
    spec: { schedule, jobTemplate: { spec: { template: template(FOR_EVER) } } },
  });
}

async function statusOf(scene: Deployments): Promise<NonNullable<Job["status"]>> {
  return (await jobsOf(scene).get({ namespace: scene.namespace, name: "job" })).status ?? {};
}

async function podsOf({ client, namespace }: Deployments): Promise<readonly Pod[]> {
  return (await client.clientFor<Pod>(resources.pods).list({ namespace })).items;
}

const isNow =
  (type: string) =>
  async (scene: Deployments): Promise<boolean> =>
    hasCondition((await statusOf(scene)).conditions, type, "True");

export const settledBatchCases: readonly Settled[] = [
  {
    name: "job-complete",
    create: async (scene) => createJob(scene, "exit 0", { completions: 3, parallelism: 2 }),
    isSettled: isNow("Complete"),
  },
  {
    name: "job-indexed-complete",
    create: async (scene) => createJob(scene, "exit 0", { ...indexed(3, 3), ttlSecondsAfterFinished: 3_600 }),
    isSettled: isNow("Complete"),
  },
  {
    name: "job-failed",
    create: async (scene) => createJob(scene, "exit 1", { ...indexed(2, 2), backoffLimitPerIndex: 0 }),
    isSettled: isNow("Failed"),
  },
  {
    name: "job-running",
    create: async (scene) => createJob(scene, FOR_EVER, { ...indexed(4, 2), activeDeadlineSeconds: 3_600 }),
    isSettled: async (scene) => {
      const { active, ready } = await statusOf(scene);
      return active === 2 && ready === 2;
    },
  },
  {
    name: "job-suspended",
    create: async (scene) => createJob(scene, FOR_EVER, { suspend: true }),
    isSettled: isNow("Suspended"),
  },
  {
    name: "job-of-another",
    create: async (scene) => createJob(scene, FOR_EVER, { managedBy: "example.com/other" }),
    isSettled: async (scene) => (await podsOf(scene)).length === 0,
  },
  {
    name: "cron-yearly",
    create: async (scene) => createCronJob(scene, "0 0 1 1 *"),
    isSettled: async (scene) => (await podsOf(scene)).length === 0,
  },
];

/** Or have ended: that two run at a time shows for a moment only, which a slow machine may miss. */
async function untilFirstPodsRun(scene: Deployments): Promise<void> {
  await until("the first pods run", async () => {
    const { ready = 0, succeeded = 0 } = await statusOf(scene);
    return ready + succeeded > 0;
  });
}

export const batchJourneys: readonly Journey[] = [
  {
    name: "job-indexed",
    // Pods end while nobody is there to count them.
    setOff: async (scene) => {
      await createJob(scene, "sleep 4; exit 0", indexed(8, 2));
      await untilFirstPodsRun(scene);
    },
    isDone: async (scene) => {
      const { succeeded, failed = 0, completedIndexes, active = 0 } = await statusOf(scene);
      return succeeded === 8 && failed === 0 && completedIndexes === "0-7" && active === 0;
    },
    podsInAll: 8,
  },
  {
    name: "job-counting",
    setOff: async (scene) => {
      await createJob(scene, "sleep 4; exit 0", { completions: 8, parallelism: 2 });
      await untilFirstPodsRun(scene);
    },
    isDone: async (scene) => {
      const { succeeded, failed = 0, conditions } = await statusOf(scene);
      return succeeded === 8 && failed === 0 && hasCondition(conditions, "Complete", "True");
    },
    podsInAll: 8,
  },
  {
    name: "job-failing",
    setOff: async (scene) => {
      await createJob(scene, "exit 1", { backoffLimit: 1 });
      await until("one pod has failed", async () => (await statusOf(scene)).failed === 1);
    },
    isDone: async (scene) => (await isNow("Failed")(scene)) && (await statusOf(scene)).failed === 2,
    podsInAll: 2,
  },
  {
    name: "job-resumed",
    setOff: async (scene) => {
      await createJob(scene, FOR_EVER, { parallelism: 3, suspend: true });
      await until("it is suspended", async () => isNow("Suspended")(scene));
    },
    meanwhile: async (scene) => {
      const ref = { namespace: scene.namespace, name: "job" };
      await jobsOf(scene).patch(ref, { type: "merge", body: { spec: { suspend: false } } });
    },
    isDone: async (scene) => (await statusOf(scene)).ready === 3,
    podsInAll: 3,
  },
  {
    name: "cron",
    // Chance decides who serves the first minute.
    setOff: async (scene) => createCronJob(scene, "* * * * *"),
    isDone: async (scene) => (await podsOf(scene)).length === 2,
    podsInAll: 2,
  },
];
