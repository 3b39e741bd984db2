import type { PartialObject } from "../../pkg/api/object.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { concernsGraph, GraphChange } from "./graph-change.ts";

/** Tells the graph of everything that concerns it, whatever the resource. */
export function whatConcernsTheGraph(change: Change<PartialObject>, wake: Wake<GraphChange>): void {
  if (change.type === "deleted") wake(GraphChange.deleted(change.object));
  else if (change.type === "added") wake(GraphChange.seen(change.object));
  else if (concernsGraph(change.before, change.object)) wake(GraphChange.seen(change.object, change.before));
}
