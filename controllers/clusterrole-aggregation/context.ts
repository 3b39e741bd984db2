import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { ROLE_FIELDS } from "./aggregated-rules.ts";

/** All that a sync works with. */
export type AggregationContext = ReturnType<typeof aggregationContext>;

export function aggregationContext(kit: Kit) {
  return {
    roles: kit.reads(resources.clusterRoles, { fields: ROLE_FIELDS }),
    /** A change of any role wakes this one, also before the cache has seen what was written last. */
    writes: kit.writes(resources.clusterRoles),
  };
}
