import { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import { type ApiObject, refKey } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { type CronJobContext, JOB_MANAGER_INDEX } from "./context.ts";
import { cronJobHandler, jobHandler } from "./handlers.ts";
import { syncCronJob } from "./sync.ts";

export interface CronJobSettings {
  readonly workers: number;
  /** Name of the time zone whose clocks count for a CronJob that names none. */
  readonly localTimeZone: string;
}

const NAME = "cronjob-controller";
const QUEUE = "cronjob";
const JOB_FIELDS = ["status.conditions", "status.startTime", "status.completionTime"];
const SKEW_SECONDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Starts Jobs at the times that a schedule says. */
export function cronJobController(settings: CronJobSettings): ControllerDescriptor {
  return {
    name: NAME,
    aliases: ["cronjob"],
    enabledByDefault: true,
    requires: {},
    clientName: NAME,
    eventSource: NAME,
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: CronJobSettings): Controller {
  const cronJobs = env.informers.informer<CronJob>(resources.cronJobs);
  const jobs = env.informers.informer<Job>(resources.jobs, { fields: JOB_FIELDS });
  jobs.addIndex(JOB_MANAGER_INDEX, managerKey);
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const consistency = new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [{ resource: resources.cronJobs, cache: cronJobs }],
  });
  const context: CronJobContext = {
    cronJobs: cronJobs.lister,
    jobs: jobs.lister,
    cronJobClient: env.client.clientFor<CronJob>(resources.cronJobs),
    jobClient: env.client.clientFor<Job>(resources.jobs),
    consistency,
    events: env.events,
    clock: env.clock,
    localZone: new TimeZone(settings.localTimeZone),
    creationSkew: env.metrics.histogram({
      name: "cronjob_controller_job_creation_skew_duration_seconds",
      help: "Seconds from when a Job of a CronJob should have started to its creation.",
      buckets: SKEW_SECONDS,
      stability: "STABLE",
    }),
  };
  const registrations = [
    jobs.addHandler(jobHandler(context, queue)),
    cronJobs.addHandler(cronJobHandler(context, queue, env.log)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncCronJob(key, context, log, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
    gate: consistency,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}

/** By name and not by uid: Jobs of an earlier CronJob of that name are its successor's, as upstream has it. */
function managerKey(job: ApiObject): readonly string[] {
  const manager = controllerOf(job);
  return manager === undefined ? [] : [refKey(job.metadata.namespace, manager.name)];
}
