import type { Json } from "../../../api/json.ts";
import { child, items, strings } from "../../../api/json.ts";

/**
 * "The same value of this label as the pod itself" becomes a requirement of its own when the pod is created, so that
 * schedulers need not know about it.
 */
export function applyMatchLabelKeys(spec: Json, labels: Readonly<Record<string, string>>): void {
  const affinity = child(spec, "affinity");
  for (const key of ["podAffinity", "podAntiAffinity"]) {
    const terms = child(affinity, key);
    const preferred = items(terms, "preferredDuringSchedulingIgnoredDuringExecution").map(
      (weighted) => child(weighted, "podAffinityTerm") ?? {},
    );
    for (const term of [...preferred, ...items(terms, "requiredDuringSchedulingIgnoredDuringExecution")]) {
      addRequirements(term, "matchLabelKeys", "In", labels);
      addRequirements(term, "mismatchLabelKeys", "NotIn", labels);
    }
  }
  for (const constraint of items(spec, "topologySpreadConstraints")) {
    addRequirements(constraint, "matchLabelKeys", "In", labels);
  }
}

function addRequirements(
  holder: Json,
  keysField: string,
  operator: string,
  labels: Readonly<Record<string, string>>,
): void {
  const selector = child(holder, "labelSelector");
  // Without a selector nothing matches, whatever the labels.
  if (selector === undefined) return;
  const added = strings(holder, keysField).flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length > 0) selector["matchExpressions"] = [...items(selector, "matchExpressions"), ...added];
}
