import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";

/**
 * Any change may touch any aggregated role: which ones select it, before and after, and through how many steps, is not
 * known. There are few of them, so all are looked at.
 */
export function everyAggregatedRole(roles: Lister<ClusterRole>): WakeRule<ClusterRole> {
  return (_change, wake) => {
    for (const { metadata, aggregationRule } of roles.list())
      if (aggregationRule !== undefined) wake(metadata.name ?? "");
  };
}
