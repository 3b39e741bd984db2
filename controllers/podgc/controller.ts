import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { PodGcContext } from "./context.ts";
import { collectPods } from "./sync.ts";

export interface PodGarbageCollectorSettings {
  /** Finished pods that may exist; 0 or less: any number. */
  readonly threshold: number;
}

const PERIOD_MS = 20_000;
const QUEUE = "orphaned_pods_nodes";

/** What is read of pods and nodes; everything else is not kept in the caches on this controller's behalf. */
const POD_FIELDS = ["spec.nodeName", "status.phase", "status.reason", "status.conditions"];
const NODE_FIELDS = ["spec.taints.key", "status.conditions.type", "status.conditions.status"];

/** Deletes pods that nobody else will: too many finished ones, and those whose node or scheduler will not end them. */
export function podGarbageCollectorController(settings: PodGarbageCollectorSettings): ControllerDescriptor {
  return {
    name: "pod-garbage-collector-controller",
    aliases: ["podgc"],
    enabledByDefault: true,
    requires: {},
    clientName: "pod-garbage-collector",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: PodGarbageCollectorSettings): Controller {
  const pods = env.informers.informer<Pod>(resources.pods, { fields: POD_FIELDS });
  const nodes = env.informers.informer<Node>(resources.nodes, { fields: NODE_FIELDS });
  const context: PodGcContext = {
    pods: pods.lister,
    nodes: nodes.lister,
    podClient: env.client.clientFor<Pod>(resources.pods),
    nodeClient: env.client.clientFor<Node>(resources.nodes),
    quarantine: createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE, fair: false }),
    threshold: settings.threshold,
    deletions: env.metrics.counter({
      name: "pod_gc_collector_force_delete_pods_total",
      help: "Pods that the pod garbage collector has force deleted, or has tried to.",
      labels: ["namespace", "reason"],
      stability: "ALPHA",
    }),
    failures: env.metrics.counter({
      name: "pod_gc_collector_force_delete_pod_errors_total",
      help: "Pods that the pod garbage collector could not force delete.",
      labels: ["namespace", "reason"],
      stability: "ALPHA",
    }),
    clock: env.clock,
    log: env.log,
  };
  return { run: async (signal) => run(context, whenSynced(env.clock, [pods, nodes]), signal) };
}

async function run(
  context: PodGcContext,
  ready: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ready(signal);
    for (;;) {
      await collectPods(context, signal);
      await sleep(context.clock, PERIOD_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    context.quarantine.shutDown();
  }
}
