import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

export function tokenHandler(queue: WorkQueue<string>): EventHandler<ApiObject> {
  return {
    onAdd: (token, inInitialList) => queue.add(keyOf(token), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      queue.add(keyOf(after), isResync ? "background" : "live");
    },
  };
}
