import { resources } from "../../pkg/api/resources.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Namespace, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { SharedInformer } from "../../pkg/cache/informer.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { PodControl } from "../../pkg/controller/pod-control.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/controller/pod-index.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { exponentialLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { type JobContext, jobMetrics } from "./context.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";
import { jobHandler, namespaceHandler, podHandler } from "./handlers.ts";
import { FAILURES_ANNOTATION, IGNORED_FAILURES_ANNOTATION, INDEX_ANNOTATION } from "./job-pods.ts";
import { syncOrphans } from "./sync-orphans.ts";
import { syncJob } from "./sync.ts";
import { TRACKED_PODS_INDEX, trackedPodsIndex } from "./tracked-pods.ts";

export interface JobSettings {
  /** For Jobs, and as many again for orphaned pods. */
  readonly workers: number;
}

const NAME = "job-controller";
const QUEUE = "job";
const ORPHAN_QUEUE = "job_orphan_pod";
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
const POD_FIELDS = [
  ...[INDEX_ANNOTATION, FAILURES_ANNOTATION, IGNORED_FAILURES_ANNOTATION].map(
    (annotation) => `metadata.annotations[${annotation}]`,
  ),
  "spec.nodeName",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
  ...["status.containerStatuses", "status.initContainerStatuses"].flatMap((statuses) => [
    `${statuses}.name`,
    `${statuses}.restartCount`,
    `${statuses}.state.terminated.exitCode`,
    `${statuses}.state.terminated.finishedAt`,
  ]),
];

/** Runs pods until as many have succeeded as a Job asks for. */
export function jobController(settings: JobSettings): ControllerDescriptor {
  return {
    name: NAME,
    aliases: ["job"],
    enabledByDefault: true,
    requires: {},
    clientName: NAME,
    eventSource: NAME,
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: JobSettings): Controller {
  const { clock, log } = env;
  const jobs = env.informers.informer<Job>(resources.jobs);
  const pods = env.informers.informer<Pod>(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  pods.addIndex(TRACKED_PODS_INDEX, trackedPodsIndex);
  const namespaces = env.informers.informer<Namespace>(resources.namespaces, { fields: [] });
  const queues = { jobs: newQueue(env, QUEUE), orphans: newQueue(env, ORPHAN_QUEUE) };
  const context = jobContext(env, jobs, pods, namespaces);
  const ready = whenSynced(clock, [
    jobs.addHandler(jobHandler(context, queues)),
    pods.addHandler(podHandler(context, queues)),
    namespaces.addHandler(namespaceHandler(context, queues), { resyncMs: 0 }),
  ]);
  const { workers } = settings;
  const jobPool = new WorkerPool({
    queue: queues.jobs,
    workers,
    sync: async ({ key, log: syncLog, signal }) => syncJob(key, context, syncLog, signal),
    ready,
    clock,
    log,
    ...(context.consistency && { gate: context.consistency }),
  });
  const orphanPool = new WorkerPool({
    queue: queues.orphans,
    workers,
    sync: async ({ key, log: syncLog, signal }) => syncOrphans(key, context, syncLog, signal),
    ready,
    clock,
    log,
  });
  return {
    run: async (signal) => {
      await Promise.all([jobPool.run(signal), orphanPool.run(signal)]);
    },
    health: () => ({
      pools: { [QUEUE]: jobPool.liveness(), [ORPHAN_QUEUE]: orphanPool.liveness() },
    }),
  };
}

function newQueue({ clock, metrics }: Env, name: string): WorkQueue<string> {
  const rateLimiter = exponentialLimiter<string>(FIRST_RETRY_MS, LAST_RETRY_MS);
  return createWorkQueue<string>({ clock, metrics, name, rateLimiter });
}

function jobContext(
  env: Env,
  jobs: SharedInformer<Job>,
  pods: SharedInformer<Pod>,
  namespaces: SharedInformer<Namespace>,
): JobContext {
  const expectations = new Expectations(env.clock);
  const consistency = env.features.enabled("StaleControllerConsistencyJob")
    ? consistencyStore(env, jobs, pods)
    : undefined;
  const podControl = new PodControl({
    pods: env.client.metadata(resources.pods),
    events: env.events,
    log: env.log,
    onWrite: (pod, manager) => {
      if (manager === undefined) return;
      const jobKey = `${pod.metadata.namespace ?? ""}/${manager.name}`;
      consistency?.wroteAt(jobKey, manager.uid, resources.pods, pod.metadata.resourceVersion);
    },
  });
  return {
    jobs: jobs.lister,
    pods: pods.lister,
    client: env.client.clientFor<Job>(resources.jobs),
    podControl,
    expectations,
    deletions: new DeletionTracking(expectations),
    finalizers: new FinalizerExpectations(),
    backoffs: new PerOwner(),
    finished: new Set(),
    isLeaving: (name) => namespaces.lister.get(undefined, name)?.metadata.deletionTimestamp !== undefined,
    consistency,
    events: env.events,
    clock: env.clock,
    features: env.features,
    metrics: jobMetrics(env.metrics),
  };
}

function consistencyStore(env: Env, jobs: SharedInformer<Job>, pods: SharedInformer<Pod>): ConsistencyStore {
  return new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [
      { resource: resources.pods, cache: pods },
      { resource: resources.jobs, cache: jobs },
    ],
    skips: env.metrics.counter({
      name: "job_controller_stale_sync_skips_total",
      help: "Syncs of Jobs that were put off because a cache had not seen an earlier write.",
      labels: ["group", "resource"],
      stability: "ALPHA",
    }),
  });
}
