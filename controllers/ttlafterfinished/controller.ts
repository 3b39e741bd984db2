import { resources } from "../../pkg/api/resources.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { TtlContext } from "./context.ts";
import { jobHandler } from "./handlers.ts";
import { cleanUpJob } from "./sync.ts";

export interface TtlAfterFinishedSettings {
  readonly workers: number;
}

const QUEUE = "ttl_jobs_to_delete";
const JOB_FIELDS = ["spec.ttlSecondsAfterFinished", "status.conditions"];
/** From 0.1 s, each twice the one before. */
const DELETION_SECONDS = Array.from({ length: 14 }, (_, power) => Number((0.1 * 2 ** power).toFixed(1)));

/** Deletes Jobs that have finished for as long as their ttlSecondsAfterFinished says. */
export function ttlAfterFinishedController(settings: TtlAfterFinishedSettings): ControllerDescriptor {
  return {
    name: "ttl-after-finished-controller",
    aliases: ["ttl-after-finished"],
    enabledByDefault: true,
    requires: {},
    clientName: "ttl-after-finished-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: TtlAfterFinishedSettings): Controller {
  const jobs = env.informers.informer<Job>(resources.jobs, { fields: JOB_FIELDS });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const context: TtlContext = {
    jobs: jobs.lister,
    client: env.client.clientFor<Job>(resources.jobs),
    clock: env.clock,
    deletionSeconds: env.metrics.histogram({
      name: "ttl_after_finished_controller_job_deletion_duration_seconds",
      help: "Seconds from when a finished Job's time to live was over to its deletion.",
      buckets: DELETION_SECONDS,
      stability: "ALPHA",
    }),
  };
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => cleanUpJob(key, context, log, signal),
    ready: whenSynced(env.clock, [jobs.addHandler(jobHandler(queue))]),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
