import { semanticEqual } from "../../pkg/api/equality.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { ClusterRole, PolicyRule } from "../../pkg/api/types/rbac-v1.gen.ts";

/**
 * What an aggregated role must allow: the rules of all others that it selects, each once. They come selector by
 * selector and by the names of the roles, so that the same roles always give the same list. Undefined when the role has
 * these rules already, or aggregates nothing. Throws a SelectorError.
 */
export function decideRules(
  role: ClusterRole,
  roles: readonly ClusterRole[],
): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const others = roles.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName);
  const rules: PolicyRule[] = [];
  for (const spec of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selector = selectorFromSpec(spec);
    const selected = others.filter(({ metadata }) => selector.matches(metadata.labels));
    for (const rule of selected.flatMap((other) => other.rules ?? [])) {
      if (!rules.some((known) => semanticEqual(known, rule))) rules.push(rule);
    }
  }
  return semanticEqual(rules, role.rules) ? undefined : rules;
}

function byName({ metadata: one }: ClusterRole, { metadata: other }: ClusterRole): number {
  const [a = "", b = ""] = [one.name, other.name];
  return a < b ? -1 : Number(a > b);
}
