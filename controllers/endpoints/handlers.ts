import { keyOf } from "../../pkg/api/object.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { isWrittenHere } from "./plan.ts";

/** Endpoints of old that served as locks have no Service, and are not left over from one. */
const LOCK_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

export function endpointsHandler(
  services: Lister<Service>,
  queue: WorkQueue<string>,
): EventHandler<Endpoints> {
  const hasService = (endpoints: Endpoints): boolean => services.getByKey(keyOf(endpoints)) !== undefined;
  const came = (endpoints: Endpoints, inInitialList: boolean): void => {
    // Their Services may have been deleted while nobody looked.
    const isLock = endpoints.metadata.annotations?.[LOCK_ANNOTATION] !== undefined;
    if (inInitialList && !isLock) queue.add(keyOf(endpoints), "background");
    // Later ones of other people may be there before their Services. What was written here is left over when its
    // Service went before the cache showed it, as when nobody heard the answer to its creation.
    if (!inInitialList && isWrittenHere(endpoints) && !hasService(endpoints)) queue.add(keyOf(endpoints));
  };
  const went = (endpoints: Endpoints): void => {
    if (hasService(endpoints)) queue.add(keyOf(endpoints));
  };
  return {
    onAdd: came,
    onUpdate: (before, after) => {
      if (before.metadata.uid === after.metadata.uid) return;
      went(before);
      came(after, false);
    },
    onDelete: went,
  };
}
