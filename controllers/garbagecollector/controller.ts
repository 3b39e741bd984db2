import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { watchServed } from "../../pkg/controller/monitors.ts";
import { Completeness } from "./completeness.ts";
import { type CollectorContext, collectorContext } from "./context.ts";
import { isDeletable } from "./deletable.ts";
import { graphToDot } from "./dot.ts";
import type { GraphNode } from "./graph.ts";
import { whatConcernsTheGraph } from "./handlers.ts";
import { collect } from "./sync-collect-objects.ts";
import { doubtUnlisted } from "./sync-doubt-unlisted.ts";
import { orphanDependents } from "./sync-orphan-dependents.ts";
import { processChange } from "./sync-process-changes.ts";

/** Deletes objects whose owners are all gone, and carries out the policies with which owners are deleted. */
export const garbageCollectorController = defineController(
  {
    name: "garbage-collector-controller",
    clientName: "generic-garbage-collector",
    // Every deletion takes two requests: one to look, one to delete.
    clientRate: { qpsFactor: 2 },
    eventSource: "garbage-collector-controller",
  },
  (kit, { workers }: WorkerSettings) => {
    const ready = async (signal: AbortSignal): Promise<void> => context.monitors.whenKnown(signal);
    const groupOf = ({ identity }: GraphNode): string => identity.namespace;
    const context: CollectorContext = {
      ...collectorContext(kit),
      changes: kit.queue({
        name: "garbage_collector_graph_changes",
        workers: 1,
        inOrder: true,
        ready: async () => undefined,
        sync: async (sync) => processChange(sync, context),
      }),
      toDelete: kit.queue({
        name: "garbage_collector_attempt_to_delete",
        workers,
        groupOf,
        ready,
        sync: async (sync) => collect(sync, context),
      }),
      toOrphan: kit.queue({
        name: "garbage_collector_attempt_to_orphan",
        workers,
        groupOf,
        ready,
        gate: { waitMs: () => complete.waitMs() },
        sync: async (sync) => orphanDependents(sync, context),
      }),
      monitors: watchServed(kit, {
        isWanted: isDeletable,
        wire: (objects) => objects.wakes(context.changes, whatConcernsTheGraph),
        onListed: async (monitor, former) => doubtUnlisted(context, monitor, former),
        onFailure: () => context.failures.inc(),
      }),
    };
    const complete = new Completeness(context.monitors, context.changes);
    kit.page("graph", (query) => {
      return { contentType: "text/vnd.graphviz", body: graphToDot(context.graph, query.getAll("uid")) };
    });
  },
);
