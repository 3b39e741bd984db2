import { LRUCache } from "lru-cache";
import { RestMapper } from "../../pkg/client/rest-mapper.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import type { Monitors } from "../../pkg/controller/monitors.ts";
import type { GraphChange } from "./graph-change.ts";
import { Graph, type GraphNode } from "./graph.ts";

/** What the parts of the garbage collector share. Only sync-process-changes.ts changes the graph. */
export interface CollectorContext extends ReturnType<typeof collectorContext> {
  /** In the order in which they happened. */
  readonly changes: KeyQueue<GraphChange>;
  /** Objects that may have to go. */
  readonly toDelete: KeyQueue<GraphNode>;
  /** Objects that wait for their dependents to be made orphans. */
  readonly toOrphan: KeyQueue<GraphNode>;
  readonly monitors: Monitors;
}

export function collectorContext({ env: { client, clock, events, metrics, random } }: Kit) {
  return {
    graph: new Graph(),
    absentOwners: absentOwners(),
    mapper: new RestMapper(client.discovery),
    client,
    events,
    clock,
    random,
    failures: metrics.counter({
      name: "garbagecollector_controller_resources_sync_error_total",
      help: "Failures to keep up with the resources that are to be watched for garbage.",
      stability: "ALPHA",
    }),
  };
}

/**
 * Owners that the server does not have, by identityKey: they need not be looked for again, for a uid never comes back.
 * The one that was not asked for longest makes room for the next.
 */
export function absentOwners(): LRUCache<string, true> {
  return new LRUCache({ max: 500 });
}
