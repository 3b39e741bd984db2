import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { SharedInformer } from "../../pkg/cache/informer.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { rememberedCoverage } from "./budget.ts";
import type { DisruptionContext } from "./context.ts";
import { budgetHandler, podHandler } from "./handlers.ts";
import { Scales } from "./sync-scale.ts";
import { syncBudget, syncStaleDisruption } from "./sync.ts";

const NAME = "disruption-controller";
const QUEUE = "disruption";
const RECHECK_QUEUE = "disruption_recheck";
const ANNOUNCED_QUEUE = "stale_pod_disruption";

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
const POD_FIELDS = [
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.reason",
  "status.conditions.lastTransitionTime",
];
/** And of their owners. */
const OWNER_FIELDS = { fields: ["spec.replicas"] };

/** Tells of every PodDisruptionBudget how many of its pods may be evicted. */
export function disruptionController(): ControllerDescriptor {
  return {
    name: NAME,
    aliases: ["disruption"],
    enabledByDefault: true,
    requires: {},
    clientName: NAME,
    eventSource: "controllermanager",
    build,
  };
}

interface Caches {
  readonly budgets: SharedInformer<PodDisruptionBudget>;
  readonly pods: SharedInformer<Pod>;
  readonly replicationControllers: SharedInformer<ReplicationController>;
  readonly replicaSets: SharedInformer<ReplicaSet>;
  readonly deployments: SharedInformer<Deployment>;
  readonly statefulSets: SharedInformer<StatefulSet>;
}

function build(env: Env): Controller {
  const { clock, informers, log, metrics } = env;
  const caches: Caches = {
    budgets: informers.informer(resources.podDisruptionBudgets),
    pods: informers.informer(resources.pods, { fields: POD_FIELDS }),
    replicationControllers: informers.informer(resources.replicationControllers, OWNER_FIELDS),
    replicaSets: informers.informer(resources.replicaSets, OWNER_FIELDS),
    deployments: informers.informer(resources.deployments, OWNER_FIELDS),
    statefulSets: informers.informer(resources.statefulSets, OWNER_FIELDS),
  };
  const context = disruptionContext(env, caches);
  const queues = {
    budgets: createWorkQueue<string>({ clock, metrics, name: QUEUE }),
    rechecks: createWorkQueue<string>({ clock, metrics, name: RECHECK_QUEUE }),
    announced: createWorkQueue<string>({ clock, metrics, name: ANNOUNCED_QUEUE }),
  };
  const { budgets, pods, ...owners } = caches;
  const ready = whenSynced(clock, [
    budgets.addHandler(budgetHandler(context, queues)),
    pods.addHandler(podHandler(context, queues)),
    ...Object.values(owners),
  ]);
  const common = { workers: 1, ready, clock, log };
  const pools = {
    [QUEUE]: new WorkerPool({
      ...common,
      queue: queues.budgets,
      sync: async ({ key, log: syncLog, signal }) => {
        const { requeueAfterMs, ...result } = await syncBudget(key, context, syncLog, signal);
        if (requeueAfterMs !== undefined) queues.rechecks.addAfter(key, requeueAfterMs);
        return result;
      },
      gate: context.consistency,
    }),
    [RECHECK_QUEUE]: new WorkerPool({
      ...common,
      queue: queues.rechecks,
      sync: async ({ key }) => {
        queues.budgets.addRateLimited(key);
        return {};
      },
    }),
    [ANNOUNCED_QUEUE]: new WorkerPool({
      ...common,
      queue: queues.announced,
      sync: async ({ key, log: syncLog, signal }) => syncStaleDisruption(key, context, syncLog, signal),
    }),
  };
  return {
    run: async (signal) => {
      await Promise.all(Object.values(pools).map(async (pool) => pool.run(signal)));
    },
    health: () => ({
      pools: Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, pool.liveness()])),
    }),
  };
}

function disruptionContext({ client, clock, events, log }: Env, caches: Caches): DisruptionContext {
  return {
    budgets: caches.budgets.lister,
    pods: caches.pods.lister,
    owners: {
      replicationControllers: caches.replicationControllers.lister,
      replicaSets: caches.replicaSets.lister,
      deployments: caches.deployments.lister,
      statefulSets: caches.statefulSets.lister,
    },
    scales: new Scales(client, clock),
    budgetClient: client.clientFor<PodDisruptionBudget>(resources.podDisruptionBudgets),
    podClient: client.clientFor<Pod>(resources.pods),
    covers: rememberedCoverage(),
    consistency: new ConsistencyStore({
      clock,
      log,
      caches: [{ resource: resources.podDisruptionBudgets, cache: caches.budgets }],
    }),
    events,
    clock,
  };
}
