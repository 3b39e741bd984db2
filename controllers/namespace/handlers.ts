import { keyOf } from "../../pkg/api/object.ts";
import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

/**
 * How long a namespace that is going away is left alone: the other API servers of the cluster must learn of it first,
 * or they would still let objects be created there after its contents were deleted.
 */
const GRACE_MS = 5_000;

/** Namespaces that are being deleted, and no others. */
export function namespaceHandler(queue: WorkQueue<string>): EventHandler<Namespace> {
  const enqueue = (namespace: Namespace): void => {
    if (namespace.metadata.deletionTimestamp !== undefined) queue.addAfter(keyOf(namespace), GRACE_MS);
  };
  return { onAdd: enqueue, onUpdate: (_before, after) => enqueue(after) };
}
