import { isPodActive } from "../../../pkg/api/pod.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { create, type Operation, patch, patchPodStatus, pick, remove, storeOf } from "./hands.ts";
import { newJob, newShortLivedJob } from "./job-samples.ts";
import { jobsIn, podsIn } from "./objects.ts";
import type { World } from "./world.ts";

/** What users do with Jobs, and what their pods do without being asked. */
export const jobOperations: Readonly<Record<string, Operation>> = {
  "create job": async (world, random) => create(world, resources.jobs, newJob(random)),
  "create job that lives for a while": async (world, random) =>
    create(world, resources.jobs, newShortLivedJob(random)),
  "delete job": async (world, random) =>
    remove(world, resources.jobs, pick(random, jobsIn(storeOf(world))), random),
  // A Job that has more successes than it has indexes left is not told to run other numbers of pods and of indexes: the
  // server would refuse to let the count of its successes go down.
  "scale job": async (world, random) =>
    patchJob(
      world,
      random,
      { parallelism: randomBelow(random, 5) },
      ({ spec, status }) =>
        spec?.completionMode !== "Indexed" || (status?.succeeded ?? 0) <= (spec.completions ?? 0),
    ),
  // What has as many indexes as pods at once can change both together.
  "resize job": async (world, random) => {
    const size = 1 + randomBelow(random, 6);
    return patchJob(world, random, { parallelism: size, completions: size });
  },
  "suspend job": async (world, random) => patchJob(world, random, { suspend: true }),
  "resume job": async (world, random) => patchJob(world, random, { suspend: false }),
  "change a job's deadline": async (world, random) =>
    patchJob(world, random, {
      activeDeadlineSeconds: random.next() < 0.3 ? null : 10 + randomBelow(random, 200),
    }),
  "finish a job's pod": async (world, random) => {
    const body = { status: { phase: random.next() < 0.6 ? "Succeeded" : "Failed" } };
    const pod = pick(random, jobPods(world).filter(isPodActive));
    return pod && patchPodStatus(world, pod, body);
  },
  "disrupt a job's pod": async (world, random) => {
    const conditions = [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }];
    const pod = pick(random, jobPods(world).filter(isPodActive));
    return pod && patchPodStatus(world, pod, { status: { phase: "Failed", conditions } });
  },
  "take a job's pod from it": async (world, random) => {
    const pod = pick(random, jobPods(world));
    const labels = { "batch.kubernetes.io/controller-uid": null };
    return pod && patch(world, resources.pods, pod, { metadata: { labels } });
  },
  "take a job's pod's owner": async (world, random) => {
    // One that has been counted would be counted anew by the Job that adopts it.
    const pod = pick(random, jobPods(world).filter(isPodActive));
    return pod && patch(world, resources.pods, pod, { metadata: { ownerReferences: null } });
  },
};

const jobPods = (world: World): readonly Pod[] =>
  podsIn(storeOf(world)).filter((pod) => controllerOf(pod)?.kind === "Job");

async function patchJob(
  world: World,
  random: Random,
  spec: Partial<Record<keyof NonNullable<Job["spec"]>, unknown>>,
  allows: (job: Job) => boolean = () => true,
): Promise<string | undefined> {
  const job = pick(random, jobsIn(storeOf(world)));
  if (job === undefined || !allows(job)) return undefined;
  return `${await patch(world, resources.jobs, job, { spec })} to ${JSON.stringify(spec)}`;
}
