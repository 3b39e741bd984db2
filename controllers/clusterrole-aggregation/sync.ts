import { resources } from "../../pkg/api/resources.ts";
import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { decideRules } from "./aggregated-rules.ts";

/** All that a sync works with. */
export interface AggregationContext {
  readonly roles: Lister<ClusterRole>;
  /** A change of any role wakes this one, also before the cache has seen what was written last. */
  readonly consistency: ConsistencyStore;
  readonly client: Pick<ResourceClient<ClusterRole>, "apply">;
}

/** Under this name the rules are owned; it is the same in every version, so that an upgrade takes them over. */
const FIELD_MANAGER = "clusterrole-aggregation-controller";

/** Gives an aggregated role the rules of the roles that it selects. */
export async function syncRole(
  name: string,
  context: AggregationContext,
  signal: AbortSignal,
): Promise<SyncResult> {
  const role = context.roles.get(undefined, name);
  const rules = role && decideRules(role, context.roles.list());
  if (role === undefined) context.consistency.deleteName(name);
  if (rules === undefined) return {};
  // To apply no rules is to give up those applied before.
  const object = { metadata: { name }, ...(rules.length > 0 && { rules }) };
  const applied = await context.client.apply(object, { fieldManager: FIELD_MANAGER, force: true }, signal);
  context.consistency.wroteOwner(resources.clusterRoles, applied);
  return {};
}
