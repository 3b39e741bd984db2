import { keyOf } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import { sleep } from "../../clock/wait.ts";
import { whenSynced } from "../../controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../controller/env.ts";
import { WorkerPool } from "../../controller/worker.ts";
import type { WorkQueue } from "../../workqueue/queue.ts";
import { createWorkQueue } from "../../workqueue/work-queue.ts";
import { HollowKubelet, type KubeletSettings } from "./hollow-kubelet.ts";
import { NODE_FAILURE_ANNOTATION, nodeFailures, type FailingNode } from "./node-failure.ts";
import { hollowNodeName } from "./node-object.ts";
import { NODE_FIELDS, NodeReports } from "./node-reports.ts";
import { podVolumes } from "./volume-attacher.ts";

export interface HollowSettings {
  readonly nodes: number;
  /** What they say that they run; the newest when left out. */
  readonly kubeletVersion?: string;
  readonly workers?: number;
  /** How often each node renews its Lease. */
  readonly leaseRenewMs?: number;
  /** Nodes get their ranges of pod addresses from a controller, and run no pod before. Otherwise they bring them. */
  readonly awaitsRanges?: boolean;
  /** Pods' events are told, and images that cannot be pulled are tried again. Off when left out. */
  readonly tellsEvents?: boolean;
  /** Pods wait until their volumes are attached. Nobody attaches any when left out. */
  readonly awaitsVolumes?: boolean;
  /** Nodes that are ready take the server's taint off themselves (default), or somebody else does. */
  readonly admitsPods?: boolean;
}

const LEASE_RENEW_MS = 10_000;
const WORKERS = 32;
/** Nodes whose turn comes at the same time. */
const NODES_PER_TURN = 50;

/** Nodes without a machine: they keep up their Node and Lease, and take pods through their lives as a kubelet would. */
export function hollowNodes(settings: HollowSettings): ControllerDescriptor {
  return {
    name: "hollow-nodes",
    clientName: "hollow-nodes",
    ...(settings.tellsEvents === true && { eventSource: "kubelet" }),
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: HollowSettings): Controller {
  const { clock, log } = env;
  const indexes = new Map(
    Array.from({ length: settings.nodes }, (_, index) => [hollowNodeName(index), index]),
  );
  const pods = env.informers.informer<Pod>(resources.pods);
  const nodes = env.informers.informer(resources.nodes, { fields: NODE_FIELDS });
  const { kubeletVersion, admitsPods = true, awaitsRanges = false, workers = WORKERS } = settings;
  const reports = new NodeReports(env, nodes.lister, {
    kubeletVersion,
    admitsPods,
    awaitsRange: awaitsRanges,
  });
  const volumes = settings.awaitsVolumes === true ? podVolumes(env) : undefined;
  const hasVolumes: KubeletSettings["hasVolumes"] = (pod, node) => volumes?.areAttached(pod, node) ?? true;
  const isSilent = (name: string): boolean => reports.isSilent(name);
  const kubelet = new HollowKubelet(
    env,
    { pods: pods.lister, nodes: nodes.lister },
    { indexes, isSilent, awaitsRanges, hasVolumes, tellsEvents: settings.tellsEvents },
  );
  const podQueue = createWorkQueue<string>({ clock });
  const nodeQueue = createWorkQueue<string>({ clock });
  const wakePod = (pod: Pod): void => void (kubelet.hosts(pod) && podQueue.add(keyOf(pod)));
  const podHandler = pods.addHandler({
    onAdd: wakePod,
    onUpdate: (_, pod) => wakePod(pod),
    onDelete: (pod) => kubelet.forget(pod),
  });
  const wakePodsOf = (name: string): void => {
    for (const pod of pods.lister.list()) if (pod.spec?.nodeName === name) wakePod(pod);
  };
  const nodeHandler = nodes.addHandler({
    // Made anew, it is well, and the one before it may have been silent.
    onAdd: ({ metadata: { name } }, initial) => {
      if (!initial && indexes.has(name)) wakePodsOf(name);
    },
    onUpdate: (before, node) => {
      const { name } = node.metadata;
      if (!indexes.has(name) || failureText(before) === failureText(node)) return;
      reports.failureChanged(node);
      nodeQueue.add(name);
      if (nodeFailures(before).has("silent")) wakePodsOf(name);
    },
  });
  const ready = whenSynced(clock, [podHandler, nodeHandler, ...(volumes?.synced ?? [])]);
  const how = { workers, ready, clock, log };
  const podPool = new WorkerPool({
    ...how,
    queue: podQueue,
    sync: async ({ key, signal }) => kubelet.sync(key, signal),
  });
  const nodePool = new WorkerPool({
    ...how,
    queue: nodeQueue,
    sync: async ({ key, signal }) => {
      await reports.report(key, indexes.get(key) ?? 0, signal);
      return {};
    },
  });
  return {
    run: async (signal) => {
      const turns = giveTurns(clock, nodeQueue, [...indexes.keys()], settings.leaseRenewMs ?? LEASE_RENEW_MS);
      await Promise.all([podPool.run(signal), nodePool.run(signal), turns(signal)]);
    },
    health: () => ({ pools: { pods: podPool.liveness(), nodes: nodePool.liveness() } }),
  };
}

function failureText({ metadata }: FailingNode): string {
  return metadata.annotations?.[NODE_FAILURE_ANNOTATION] ?? "";
}

/**
 * All nodes at once, and from then on each once a period: by one timer for all, and in as many groups as there are many
 * nodes, so that these do not all write at the same time.
 */
function giveTurns(
  clock: Clock,
  queue: WorkQueue<string>,
  names: readonly string[],
  periodMs: number,
): (signal: AbortSignal) => Promise<void> {
  const groups = Math.max(1, Math.ceil(names.length / NODES_PER_TURN));
  return async (signal) => {
    for (const name of names) queue.add(name);
    try {
      for (let turn = 0; ; turn++) {
        await sleep(clock, periodMs / groups, signal);
        for (let index = turn % groups; index < names.length; index += groups) queue.add(names[index] ?? "");
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
}
