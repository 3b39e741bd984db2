import { resources } from "../../../pkg/api/resources.ts";
import type { CronJob } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Namespace, ResourceQuota, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { create, type Operation, patch, pick, remove, storeOf, tolerantly } from "./hands.ts";
import { newCronJob, newJob } from "./job-samples.ts";
import { cronJobsIn, objectsIn } from "./objects.ts";
import { newDeployment, newReplicaSet, newSlowDeployment } from "./samples.ts";
import type { World } from "./world.ts";

/** Comes and goes, with all that is in it. */
const TEAM = "team";

/** What users do with namespaces, quotas, accounts and schedules. */
export const lifecycleOperations: Readonly<Record<string, Operation>> = {
  "create namespace": async (world) => createNamespace(world),
  "delete namespace": async (world) => {
    const namespace: Namespace = { metadata: { name: TEAM } };
    return tolerantly(namespace, async (ref) => {
      await world.user.clientFor(resources.namespaces).delete(ref);
    });
  },
  "create deployment in namespace": async (world, random) =>
    create(world, resources.deployments, inTeam(newDeployment(random))),
  "create deployment that ends slowly in namespace": async (world, random) =>
    create(world, resources.deployments, inTeam(newSlowDeployment(random))),
  "create replica set in namespace": async (world, random) =>
    create(world, resources.replicaSets, inTeam(newReplicaSet(random))),
  "create job in namespace": async (world, random) => create(world, resources.jobs, inTeam(newJob(random))),
  "create quota": async (world, random) => {
    const hard = { pods: String(randomBelow(random, 8)), "count/jobs.batch": String(randomBelow(random, 4)) };
    return create(world, resources.resourceQuotas, inTeam({ metadata: { name: "quota" }, spec: { hard } }));
  },
  "delete quota": async (world, random) =>
    remove(world, resources.resourceQuotas, pick(random, quotasIn(world)), random),
  "delete an account": async (world, random) => {
    const accounts = objectsIn<ServiceAccount>(storeOf(world), resources.serviceAccounts);
    const account = pick(random, accounts);
    return (
      account &&
      tolerantly(account, async (ref) => {
        await world.user.clientFor(resources.serviceAccounts).delete(ref);
      })
    );
  },
  "create cron job": async (world, random) => create(world, resources.cronJobs, newCronJob(random)),
  "create cron job in namespace": async (world, random) =>
    create(world, resources.cronJobs, inTeam(newCronJob(random))),
  "delete cron job": async (world, random) =>
    remove(world, resources.cronJobs, pick(random, cronJobsIn(storeOf(world))), random),
  "suspend cron job": async (world, random) => patchCronJob(world, random, { suspend: true }),
  "resume cron job": async (world, random) => patchCronJob(world, random, { suspend: false }),
};

export const quotasIn = (world: World): readonly ResourceQuota[] =>
  objectsIn<ResourceQuota>(storeOf(world), resources.resourceQuotas);

async function createNamespace(world: World): Promise<string> {
  const namespace: Namespace = { metadata: { name: TEAM } };
  return tolerantly(namespace, async () => {
    await world.user.clientFor(resources.namespaces).create(namespace);
  });
}

function inTeam<T extends { readonly metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, namespace: TEAM } };
}

async function patchCronJob(
  world: World,
  random: Random,
  spec: Partial<NonNullable<CronJob["spec"]>>,
): Promise<string | undefined> {
  const cronJob = pick(random, cronJobsIn(storeOf(world)));
  return cronJob && patch(world, resources.cronJobs, cronJob, { spec });
}
