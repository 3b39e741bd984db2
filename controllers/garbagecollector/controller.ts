import { RestMapper } from "../../pkg/client/rest-mapper.ts";
import type { Controller, ControllerDescriptor, DebugPage, Env } from "../../pkg/controller/env.ts";
import { Monitors, type MonitorsOptions } from "../../pkg/controller/monitors.ts";
import type { SyncFunction } from "../../pkg/controller/sync.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { AbsentOwners } from "./absent-owners.ts";
import type { CollectorContext } from "./context.ts";
import { graphToDot } from "./dot.ts";
import type { GraphChange } from "./graph-change.ts";
import { Graph, type GraphNode } from "./graph.ts";
import { objectHandler } from "./handlers.ts";
import { processChange } from "./sync-graph.ts";
import { orphan } from "./sync-orphans.ts";
import { doubtUnlisted, isDeletable } from "./sync-resources.ts";
import { collect } from "./sync.ts";

export interface GarbageCollectorSettings {
  readonly workers: number;
}

const CHANGES = "garbage_collector_graph_changes";
const TO_DELETE = "garbage_collector_attempt_to_delete";
const TO_ORPHAN = "garbage_collector_attempt_to_orphan";

/** Deletes objects whose owners are all gone, and carries out the policies with which owners are deleted. */
export function garbageCollectorController(settings: GarbageCollectorSettings): ControllerDescriptor {
  return {
    name: "garbage-collector-controller",
    aliases: ["garbagecollector"],
    enabledByDefault: true,
    requires: {},
    clientName: "generic-garbage-collector",
    // Every deletion takes two requests: one to look, one to delete.
    clientRate: { qpsFactor: 2 },
    eventSource: "garbage-collector-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: GarbageCollectorSettings): Controller {
  const { client, clock, log, metrics } = env;
  // In the order in which they happened.
  const changes = createWorkQueue<GraphChange>({
    clock,
    metrics,
    name: CHANGES,
    fair: false,
    priorities: false,
  });
  const monitors = monitorsOf(env, changes, async (monitor, former) =>
    doubtUnlisted(context, monitor, former),
  );
  const context: CollectorContext = {
    graph: new Graph(),
    absentOwners: new AbsentOwners(),
    changes,
    toDelete: nodeQueue(env, TO_DELETE),
    toOrphan: nodeQueue(env, TO_ORPHAN),
    mapper: new RestMapper(client.discovery),
    client,
    monitors,
    events: env.events,
    clock,
    random: env.random,
    log,
  };
  return controllerOf(env, context, monitors, settings.workers);
}

/** The informers that feed the graph, shared with the controllers that read more of their objects. */
function monitorsOf(
  { client, informers, clock, log, metrics }: Env,
  changes: WorkQueue<GraphChange>,
  onListed: MonitorsOptions["onListed"],
): Monitors {
  const failures = metrics.counter({
    name: "garbagecollector_controller_resources_sync_error_total",
    help: "Failures to keep up with the resources that are to be watched for garbage.",
    stability: "ALPHA",
  });
  return new Monitors({
    discovery: client.discovery,
    informers,
    isWanted: isDeletable,
    listen: (resource) => {
      // Every projection keeps what the graph is about: owners, finalizers, and what identifies the object.
      const informer = informers.metadataInformer(resource, { fields: [] });
      return { informer, registration: informer.addHandler(objectHandler(changes), { resyncMs: 0 }) };
    },
    onListed,
    onFailure: () => failures.inc(),
    clock,
    log,
  });
}

function controllerOf(
  { clock, log }: Env,
  context: CollectorContext,
  monitors: Monitors,
  workers: number,
): Controller {
  const atOnce = async (): Promise<void> => undefined;
  const whenKnown = async (signal: AbortSignal): Promise<void> => {
    if (await monitors.syncInTime(signal)) return;
    log.warn("Not all resources are known yet; collecting garbage all the same", {
      unsynced: monitors.unsynced(),
    });
  };
  const pool = <K>(
    queue: WorkQueue<K>,
    size: number,
    sync: SyncFunction<K>,
    ready = whenKnown,
  ): WorkerPool<K> => new WorkerPool<K>({ queue, workers: size, sync, ready, clock, log });
  const pools = {
    [CHANGES]: pool(context.changes, 1, async ({ key: change }) => processChange(change, context), atOnce),
    [TO_DELETE]: pool(context.toDelete, workers, async ({ key: node, log: nodeLog, signal }) =>
      collect(node, context, nodeLog, signal),
    ),
    [TO_ORPHAN]: pool(context.toOrphan, workers, async ({ key: node, log: nodeLog, signal }) =>
      orphan(node, context, nodeLog, signal),
    ),
  };
  return {
    run: async (signal) => {
      await Promise.all([
        monitors.follow(signal),
        ...Object.values(pools).map(async (each) => each.run(signal)),
      ]);
    },
    health: () => ({
      pools: Object.fromEntries(Object.entries(pools).map(([name, each]) => [name, each.liveness()])),
    }),
    debug: (path, query) => graphPage(context.graph, path, query),
  };
}

function nodeQueue({ clock, metrics }: Env, name: string): WorkQueue<GraphNode> {
  return createWorkQueue<GraphNode>({ clock, metrics, name, groupOf: ({ identity }) => identity.namespace });
}

function graphPage(graph: Graph, path: string, query: URLSearchParams): DebugPage | undefined {
  if (path !== "/graph") return undefined;
  return { contentType: "text/vnd.graphviz", body: graphToDot(graph, query.getAll("uid")) };
}
