import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { RestMapper } from "../../pkg/client/rest-mapper.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Random } from "../../pkg/clock/random.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Monitors } from "../../pkg/controller/monitors.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import type { Graph, GraphNode } from "./graph.ts";
import type { GraphChange } from "./graph-change.ts";

/** What the parts of the garbage collector share. The graph changes in one place only: sync-graph.ts. */
export interface CollectorContext {
  readonly graph: Graph;
  readonly absentOwners: AbsentOwners;
  /** In the order in which they happened. */
  readonly changes: WorkQueue<GraphChange>;
  /** Objects that may have to go. */
  readonly toDelete: WorkQueue<GraphNode>;
  /** Objects that wait for their dependents to be made orphans. */
  readonly toOrphan: WorkQueue<GraphNode>;
  readonly mapper: Pick<RestMapper, "resourceOf">;
  readonly client: Pick<ClientSet, "metadata">;
  readonly monitors: Pick<Monitors, "find" | "all">;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
