import { semanticEqual } from "../../pkg/api/equality.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { Stored, StoredObject } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { ClusterRole, PolicyRule } from "../../pkg/api/types/rbac-v1.gen.ts";

/** What is read of roles. */
export const ROLE_FIELDS = ["aggregationRule", "rules"] as const;
export type CachedRole = Projected<ClusterRole, typeof ROLE_FIELDS>;

/**
 * What an aggregated role must allow: the rules of all others that it selects, each once. They come selector by
 * selector and by the names of the roles, so that the same roles always give the same list. Undefined when the role has
 * these rules already, or aggregates nothing. Throws a SelectorError.
 */
export function decideRules(
  role: CachedRole,
  roles: readonly Stored<CachedRole>[],
): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const others = roles.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName);
  // Rules are told apart by their text: there may be tens of thousands.
  const rules = new Map<string, PolicyRule>();
  for (const spec of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selector = selectorFromSpec(spec);
    const selected = others.filter(({ metadata }) => selector.matches(metadata.labels));
    for (const { rules: own } of selected) {
      // API servers have null where there are no rules.
      for (const rule of own ?? []) if (!rules.has(textOf(rule))) rules.set(textOf(rule), rule);
    }
  }
  const union = [...rules.values()];
  return semanticEqual(union, role.rules) ? undefined : union;
}

/** Rules that say the same have the same text. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify(
    [verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []),
  );
}

function byName({ metadata: one }: StoredObject, { metadata: other }: StoredObject): number {
  const [a, b] = [one.name, other.name];
  return a < b ? -1 : Number(a > b);
}
