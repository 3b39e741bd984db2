import type { ApiObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { SharedInformer } from "../../pkg/cache/informer.ts";
import { ConsistencyStore } from "../../pkg/reconcile/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/reconcile/env.ts";
import { whenSynced } from "../../pkg/reconcile/caches-ready.ts";
import { DeletionTracking, Expectations } from "../../pkg/reconcile/expectations.ts";
import { PodControl } from "../../pkg/reconcile/pod-control.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/reconcile/pod-index.ts";
import { WorkerPool } from "../../pkg/reconcile/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { CONTROLLER_UID_INDEX, type ReplicaContext } from "./context.ts";
import { ownerHandler, podHandler } from "./handlers.ts";
import type { ReplicaOwner } from "./replica-owner.ts";
import { syncReplicas } from "./sync.ts";

export interface ReplicaSettings {
  readonly workers: number;
}

const METRICS = "replicaset_controller";

/** What sets the twins apart. */
interface Twin {
  readonly name: string;
  readonly alias: string;
  readonly clientName: string;
  readonly eventSource: string;
  readonly queueName: string;
  readonly resource: TypedResource<ReplicaOwner>;
  /** A ReplicationController's status has no field for pods that are being deleted. */
  readonly countsTerminating: boolean;
  /** Whether syncs that were put off are counted: v1.36 has that metric for ReplicaSets only. */
  readonly countsSkips: boolean;
}

/** Keeps as many pods of a ReplicaSet as it asks for. */
export function replicaSetController(settings: ReplicaSettings): ControllerDescriptor {
  return describe(settings, {
    name: "replicaset-controller",
    alias: "replicaset",
    clientName: "replicaset-controller",
    eventSource: "replicaset-controller",
    queueName: "replicaset",
    resource: resources.replicaSets,
    countsTerminating: true,
    countsSkips: true,
  });
}

/** The same for ReplicationControllers. */
export function replicationController(settings: ReplicaSettings): ControllerDescriptor {
  return describe(settings, {
    name: "replicationcontroller-controller",
    alias: "replicationcontroller",
    clientName: "replication-controller",
    eventSource: "replication-controller",
    queueName: "replicationmanager",
    resource: resources.replicationControllers,
    countsTerminating: false,
    countsSkips: false,
  });
}

function describe(settings: ReplicaSettings, twin: Twin): ControllerDescriptor {
  return {
    name: twin.name,
    aliases: [twin.alias],
    enabledByDefault: true,
    requires: {},
    clientName: twin.clientName,
    eventSource: twin.eventSource,
    build: (env) => build(env, settings, twin),
  };
}

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
const POD_FIELDS = [
  "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]",
  "spec.nodeName",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
  "status.containerStatuses.name",
  "status.containerStatuses.restartCount",
  "status.initContainerStatuses.name",
  "status.initContainerStatuses.restartCount",
];

function build(env: Env, settings: ReplicaSettings, twin: Twin): Controller {
  const owners = env.informers.informer(twin.resource);
  const pods = env.informers.informer<Pod>(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  owners.addIndex(CONTROLLER_UID_INDEX, managerUid);
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: twin.queueName });
  const context = replicaContext(env, twin, owners, pods);
  const registrations = [
    owners.addHandler(ownerHandler(context, queue)),
    pods.addHandler(podHandler(context, queue, env.log)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async (key, log, signal) => syncReplicas(key, context, log, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
    ...(context.consistency && { gate: context.consistency }),
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [twin.queueName]: pool.liveness() } }),
  };
}

function replicaContext(
  env: Env,
  twin: Twin,
  owners: SharedInformer<ReplicaOwner>,
  pods: SharedInformer<Pod>,
): ReplicaContext {
  const expectations = new Expectations(env.clock);
  const readsOwnWrites = env.features.enabled("StaleControllerConsistencyReplicaSet");
  const consistency = readsOwnWrites ? consistencyStore(env, twin, owners, pods) : undefined;
  const podControl = new PodControl({
    pods: env.client.metadata(resources.pods),
    events: env.events,
    log: env.log,
    onWrite: (pod, manager) => {
      if (manager === undefined) return;
      const ownerKey = `${pod.metadata.namespace ?? ""}/${manager.name}`;
      consistency?.wroteAt(ownerKey, manager.uid, resources.pods, pod.metadata.resourceVersion);
    },
  });
  return {
    resource: twin.resource,
    owners: owners.lister,
    pods: pods.lister,
    client: env.client.clientFor<ReplicaOwner>(twin.resource),
    podControl,
    expectations,
    deletions: new DeletionTracking(expectations),
    consistency,
    countsTerminating:
      twin.countsTerminating && env.features.enabled("DeploymentReplicaSetTerminatingReplicas"),
    features: env.features,
    clock: env.clock,
    deletionAges: deletionAges(env),
  };
}

function consistencyStore(
  env: Env,
  twin: Twin,
  owners: SharedInformer<ReplicaOwner>,
  pods: SharedInformer<Pod>,
): ConsistencyStore {
  return new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [
      { resource: twin.resource, cache: owners },
      { resource: resources.pods, cache: pods },
    ],
    ...(twin.countsSkips && {
      skips: env.metrics.counter({
        name: `${METRICS}_stale_sync_skips_total`,
        help: "Syncs of ReplicaSets that were put off because a cache had not seen an earlier write.",
        labels: ["group", "resource"],
        stability: "ALPHA",
      }),
    }),
  });
}

/** One for both twins, as upstream has it. */
function deletionAges(env: Env): ReplicaContext["deletionAges"] {
  return env.metrics.histogram({
    name: `${METRICS}_sorting_deletion_age_ratio`,
    help: "How many times as old as the youngest ready pod the ready pods were that a scale-down deleted; below 2 is good.",
    buckets: [0.25, 0.5, 1, 2, 4, 8],
    stability: "ALPHA",
  });
}

function managerUid(owner: ApiObject): readonly string[] {
  const manager = controllerOf(owner);
  return manager === undefined ? [] : [manager.uid];
}
