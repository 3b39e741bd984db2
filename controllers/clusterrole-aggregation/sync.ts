import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { type CachedRole, decideRules } from "./aggregated-rules.ts";
import type { AggregationContext } from "./context.ts";

/** Under this name the rules are owned; it is the same in every version, so that an upgrade takes them over. */
const FIELD_MANAGER = "clusterrole-aggregation-controller";

/** Gives an aggregated role the rules of the roles that it selects. */
export async function syncRole(
  sync: OwnerSync<CachedRole>,
  { roles, writes }: AggregationContext,
): Promise<SyncResult> {
  const { owner: role } = sync;
  const rules = decideRules(role, roles.lister.list());
  if (rules === undefined) return {};
  sync.decided("The rules are not those of the selected roles", { rules: rules.length });
  // Applying no rules gives up those that were applied before.
  const object = { metadata: { name: sync.key }, ...(rules.length > 0 && { rules }) };
  await writes.apply(sync, object, { fieldManager: FIELD_MANAGER, force: true });
  return {};
}
