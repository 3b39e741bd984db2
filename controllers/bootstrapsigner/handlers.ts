import { keyOf } from "../../pkg/api/object.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { CLUSTER_INFO } from "./cluster-info.ts";

/** There is one thing to do, so there is one key: many changes at once become one sync. */
const KEY = keyOf({ metadata: CLUSTER_INFO });

/** A description that is deleted needs no signature. */
export function clusterInfoHandler(queue: WorkQueue<string>): EventHandler<ApiObject> {
  return { onAdd: () => queue.add(KEY), onUpdate: () => queue.add(KEY) };
}

export function tokenHandler(queue: WorkQueue<string>): EventHandler<ApiObject> {
  return { ...clusterInfoHandler(queue), onDelete: () => queue.add(KEY) };
}
