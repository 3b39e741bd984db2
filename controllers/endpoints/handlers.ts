import { keyOf } from "../../pkg/api/object.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

/** Endpoints of old that served as locks have no Service, and are not left over from one. */
const LOCK_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

export function endpointsHandler(queue: WorkQueue<string>): EventHandler<Endpoints> {
  return {
    // Their Services may have been deleted while nobody looked. Later ones may be there before their Services.
    onAdd: (endpoints, inInitialList) => {
      const isLock = endpoints.metadata.annotations?.[LOCK_ANNOTATION] !== undefined;
      if (inInitialList && !isLock) queue.add(keyOf(endpoints), "background");
    },
    onDelete: (endpoints) => queue.add(keyOf(endpoints)),
  };
}
