import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { SharedInformer } from "../../pkg/cache/informer.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import {
  REVISION_CONTROLLER_INDEX,
  revisionControllerIndex,
} from "../../pkg/controller/history/revision-index.ts";
import { PodControl } from "../../pkg/controller/pod-control.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/controller/pod-index.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { DaemonContext } from "./context.ts";
import { FailedPodBackoff } from "./failed-pods.ts";
import { daemonSetHandler, nodeHandler, podHandler, revisionHandler } from "./handlers.ts";
import { NodeChanges } from "./node-changes.ts";
import { rememberedNodeFit } from "./node-fit.ts";
import { DAEMON_NODE_INDEX, daemonNodeIndex, daemonSetsOfChangedNode } from "./sync-node.ts";
import { syncDaemonSet } from "./sync.ts";

export interface DaemonSetSettings {
  /** For DaemonSets, and as many again for nodes that changed. */
  readonly workers: number;
}

const QUEUE = "daemonset";
const NODE_QUEUE = "daemonset-node-updates";

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
const POD_FIELDS = [
  "spec.nodeName",
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
];
const NODE_FIELDS = ["spec.taints"];

/** Keeps a pod on every node that a DaemonSet is for. */
export function daemonSetController(settings: DaemonSetSettings): ControllerDescriptor {
  return {
    name: "daemonset-controller",
    aliases: ["daemonset"],
    enabledByDefault: true,
    requires: {},
    clientName: "daemon-set-controller",
    eventSource: "daemonset-controller",
    build: (env) => build(env, settings),
  };
}

interface Caches {
  readonly daemonSets: SharedInformer<DaemonSet>;
  readonly revisions: SharedInformer<ControllerRevision>;
  readonly pods: SharedInformer<Pod>;
  readonly nodes: SharedInformer<Node>;
}

function build(env: Env, settings: DaemonSetSettings): Controller {
  const { clock, log, metrics } = env;
  const caches: Caches = {
    daemonSets: env.informers.informer(resources.daemonSets),
    revisions: env.informers.informer(resources.controllerRevisions),
    pods: env.informers.informer<Pod>(resources.pods, { fields: POD_FIELDS }),
    nodes: env.informers.informer<Node>(resources.nodes, { fields: NODE_FIELDS }),
  };
  caches.pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  caches.pods.addIndex(DAEMON_NODE_INDEX, daemonNodeIndex);
  caches.revisions.addIndex(REVISION_CONTROLLER_INDEX, revisionControllerIndex);
  const context = daemonContext(env, caches);
  const queue = createWorkQueue<string>({ clock, metrics, name: QUEUE });
  const nodeQueue = createWorkQueue<string>({ clock, metrics, name: NODE_QUEUE });
  const ready = whenSynced(clock, [
    caches.daemonSets.addHandler(daemonSetHandler(context, queue)),
    caches.revisions.addHandler(revisionHandler(context, queue)),
    caches.pods.addHandler(podHandler(context, queue)),
    caches.nodes.addHandler(nodeHandler(context, { daemonSets: queue, nodes: nodeQueue })),
  ]);
  const { workers } = settings;
  const pool = new WorkerPool({
    queue,
    workers,
    sync: async ({ key, log: syncLog, signal }) => syncDaemonSet(key, context, syncLog, signal),
    ready,
    clock,
    log,
    ...(context.consistency && { gate: context.consistency }),
  });
  const nodePool = new WorkerPool({
    queue: nodeQueue,
    workers,
    sync: async ({ key: node }) => {
      for (const key of daemonSetsOfChangedNode(node, context)) queue.add(key);
      return {};
    },
    ready,
    clock,
    log,
  });
  return {
    run: async (signal) => {
      await Promise.all([pool.run(signal), nodePool.run(signal)]);
    },
    health: () => ({ pools: { [QUEUE]: pool.liveness(), [NODE_QUEUE]: nodePool.liveness() } }),
  };
}

function daemonContext(env: Env, caches: Caches): DaemonContext {
  const { clock, client, events, features, log } = env;
  const expectations = new Expectations(clock);
  const consistency = features.enabled("StaleControllerConsistencyDaemonSet")
    ? consistencyStore(env, caches)
    : undefined;
  const podControl = new PodControl({
    // Whole, as the status of the same sync tells of the pods that were created.
    pods: client.clientFor<Pod>(resources.pods),
    events,
    log,
    onWrite: (pod, manager) => {
      if (manager === undefined) return;
      const ownerKey = `${pod.metadata.namespace ?? ""}/${manager.name}`;
      consistency?.wroteAt(ownerKey, manager.uid, resources.pods, pod.metadata.resourceVersion);
    },
  });
  return {
    daemonSets: caches.daemonSets.lister,
    revisions: caches.revisions.lister,
    pods: caches.pods.lister,
    nodes: caches.nodes.lister,
    client: client.clientFor<DaemonSet>(resources.daemonSets),
    revisionClient: client.clientFor<ControllerRevision>(resources.controllerRevisions),
    podControl,
    expectations,
    deletions: new DeletionTracking(expectations),
    consistency,
    failedPods: new FailedPodBackoff(),
    fitOf: rememberedNodeFit({ comparisonOperators: features.enabled("TaintTolerationComparisonOperators") }),
    nodeChanges: new NodeChanges(),
    events,
    clock,
  };
}

function consistencyStore(env: Env, { daemonSets, pods, revisions }: Caches): ConsistencyStore {
  return new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [
      { resource: resources.pods, cache: pods },
      { resource: resources.daemonSets, cache: daemonSets },
      { resource: resources.controllerRevisions, cache: revisions },
    ],
    skips: env.metrics.counter({
      name: "daemonset_controller_stale_sync_skips_total",
      help: "Syncs of DaemonSets that were put off because a cache had not seen an earlier write.",
      labels: ["group", "resource"],
      stability: "ALPHA",
    }),
  });
}
