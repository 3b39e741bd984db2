import { keyOf } from "../../pkg/api/object.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { Cache, WakeRule } from "../../pkg/controller/cache.ts";
import { isWrittenHere } from "./plan.ts";
import type { BackedService } from "../../pkg/endpoints/backing-pods.ts";

/** Endpoints of old that served as locks have no Service, and are not left over from one. */
const LOCK_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

/** Wakes the key of Endpoints that a Service lacks, and of those that may be left over from one. */
export function endpointsRule(services: Pick<Cache<BackedService>, "lister">): WakeRule<Endpoints> {
  return (change, wake) => {
    const { object: endpoints } = change;
    const key = keyOf(endpoints);
    const hasService = services.lister.getByKey(key) !== undefined;
    if (change.type === "deleted") {
      if (hasService) wake(key);
    } else if (change.type === "added" && change.listed) {
      // Their Services may have been deleted while nobody looked.
      const isLock = endpoints.metadata.annotations?.[LOCK_ANNOTATION] !== undefined;
      if (!isLock) wake(key);
    } else if (change.type === "added") {
      // Later ones of other people may be there before their Services. What was written here is left over when its
      // Service went before the cache showed it, as when nobody heard the answer to its creation.
      if (isWrittenHere(endpoints) && !hasService) wake(key);
    }
  };
}
