import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore, type VersionedCache } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import {
  REVISION_CONTROLLER_INDEX,
  revisionControllerIndex,
} from "../../pkg/controller/history/revision-index.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/controller/pod-index.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { StatefulSetContext } from "./context.ts";
import { claimHandler, podHandler, setHandler } from "./handlers.ts";
import { syncStatefulSet } from "./sync.ts";

export interface StatefulSetSettings {
  readonly workers: number;
}

const QUEUE = "statefulset";
const METRICS_PREFIX = "statefulset_controller";

/** Keeps pods with names of their own, and claims that stay with these names. */
export function statefulSetController(settings: StatefulSetSettings): ControllerDescriptor {
  return {
    name: "statefulset-controller",
    aliases: ["statefulset"],
    enabledByDefault: true,
    requires: {},
    clientName: "statefulset-controller",
    eventSource: "statefulset-controller",
    build: (env) => build(env, settings),
  };
}

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
const POD_FIELDS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
];

function build(env: Env, settings: StatefulSetSettings): Controller {
  const sets = env.informers.informer<StatefulSet>(resources.statefulSets);
  const pods = env.informers.informer<Pod>(resources.pods, { fields: POD_FIELDS });
  const claims = env.informers.informer<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
    fields: [],
  });
  const revisions = env.informers.informer<ControllerRevision>(resources.controllerRevisions);
  pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  revisions.addIndex(REVISION_CONTROLLER_INDEX, revisionControllerIndex);
  const context: StatefulSetContext = {
    sets: sets.lister,
    pods: pods.lister,
    claims: claims.lister,
    revisions: revisions.lister,
    setClient: env.client.clientFor<StatefulSet>(resources.statefulSets),
    podClient: env.client.clientFor<Pod>(resources.pods),
    claimClient: env.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims),
    revisionClient: env.client.clientFor<ControllerRevision>(resources.controllerRevisions),
    events: env.events,
    consistency: consistencyStore(env, { sets, pods, claims, revisions }),
    comparesMeaning: env.features.enabled("StatefulSetSemanticRevisionComparison"),
    unavailability: unavailabilityGauges(env),
    clock: env.clock,
  };
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const registrations = [
    sets.addHandler(setHandler(context, queue)),
    pods.addHandler(podHandler(context, queue, env.log)),
    claims.addHandler(claimHandler(context, queue)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncStatefulSet(key, context, log, signal),
    ready: whenSynced(env.clock, [...registrations, revisions]),
    clock: env.clock,
    log: env.log,
    ...(context.consistency && { gate: context.consistency }),
  });
  return { run: async (signal) => pool.run(signal), health: () => ({ pools: { [QUEUE]: pool.liveness() } }) };
}

function consistencyStore(
  env: Env,
  caches: Readonly<Record<"sets" | "pods" | "claims" | "revisions", VersionedCache>>,
): ConsistencyStore | undefined {
  if (!env.features.enabled("StaleControllerConsistencyStatefulSet")) return undefined;
  return new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [
      { resource: resources.statefulSets, cache: caches.sets },
      { resource: resources.pods, cache: caches.pods },
      { resource: resources.persistentVolumeClaims, cache: caches.claims },
      { resource: resources.controllerRevisions, cache: caches.revisions },
    ],
    skips: env.metrics.counter({
      name: `${METRICS_PREFIX}_stale_sync_skips_total`,
      help: "Syncs of StatefulSets that were put off because a cache had not seen an earlier write.",
      labels: ["group", "resource"],
      stability: "ALPHA",
    }),
  });
}

function unavailabilityGauges(env: Env): StatefulSetContext["unavailability"] {
  const labels = ["statefulset_namespace", "statefulset_name", "pod_management_policy"];
  const allowed = env.metrics.gauge({
    name: `${METRICS_PREFIX}_statefulset_max_unavailable`,
    help: "How many pods of a StatefulSet may be unavailable in a rolling update.",
    labels,
    stability: "ALPHA",
  });
  const actual = env.metrics.gauge({
    name: `${METRICS_PREFIX}_statefulset_unavailable_replicas`,
    help: "How many pods of a StatefulSet are missing or unavailable.",
    labels,
    stability: "ALPHA",
  });
  return env.features.enabled("MaxUnavailableStatefulSet") ? { allowed, actual } : undefined;
}
