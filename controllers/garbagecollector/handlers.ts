import type { ApiObject } from "../../pkg/api/object.ts";
import { semanticEqual } from "../../pkg/api/equality.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { GraphChange, isBeingDeleted } from "./graph-change.ts";

/** Tells the graph of everything that concerns it, whatever the resource. */
export function objectHandler(changes: WorkQueue<GraphChange>): EventHandler<ApiObject> {
  return {
    onAdd: (object) => changes.add(GraphChange.seen(object)),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: the first one's dependents must not wait for the second.
      if (before.metadata.uid !== after.metadata.uid) {
        changes.add(GraphChange.deleted(before));
        changes.add(GraphChange.seen(after));
      } else if (concernsGraph(before, after)) changes.add(GraphChange.seen(after, before));
    },
    onDelete: (object) => changes.add(GraphChange.deleted(object)),
  };
}

/** Most updates change neither owners nor anything about a deletion. */
function concernsGraph(before: ApiObject, after: ApiObject): boolean {
  const { ownerReferences: formerOwners, finalizers: formerFinalizers } = before.metadata;
  const { ownerReferences, finalizers } = after.metadata;
  return (
    isBeingDeleted(before) !== isBeingDeleted(after) ||
    !semanticEqual(formerOwners, ownerReferences) ||
    !semanticEqual(formerFinalizers, finalizers)
  );
}
