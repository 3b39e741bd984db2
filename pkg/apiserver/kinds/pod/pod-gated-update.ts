import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, copyField, items, sameValue, stringMap, strings } from "../../../api/json.ts";

/**
 * While a pod waits behind a scheduling gate, where it may run can be narrowed further. What of that is allowed is put
 * back to the old value in `rest`, what is not is reported.
 */
export function restoreGatedFields(rest: Json, old: Json, errors: FieldErrors): void {
  const selector = stringMap(rest, "nodeSelector");
  for (const [key, value] of Object.entries(stringMap(old, "nodeSelector"))) {
    if (selector[key] === value) continue;
    errors.invalid(
      "spec.nodeSelector",
      selector,
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    );
    break;
  }
  copyField(rest, old, "nodeSelector");
  const before = child(child(old, "affinity"), "nodeAffinity");
  const affinity = child(rest, "affinity");
  const now = child(affinity, "nodeAffinity");
  if (sameValue(before, now)) return;
  validateAffinity(before, now, errors);
  const { nodeAffinity: _now, ...others } = affinity ?? {};
  const restored = before === undefined ? others : { ...others, nodeAffinity: before };
  if (Object.keys(restored).length === 0) copyField(rest, old, "affinity");
  else rest["affinity"] = restored;
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function validateAffinity(before: Json | undefined, now: Json | undefined, errors: FieldErrors): void {
  const path = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  const oldTerms = items(child(before, required), "nodeSelectorTerms");
  // Without terms before, everything is a narrowing.
  if (oldTerms.length === 0) return;
  const terms = items(child(now, required), "nodeSelectorTerms");
  if (terms.length !== oldTerms.length) {
    errors.invalid(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (const [index, term] of terms.entries()) {
    if (hasOnlyAdditions(term, oldTerms[index] ?? {})) continue;
    errors.invalid(`${path}[${index}]`, term, "only additions are allowed (no mutations or deletions)");
  }
}

function hasOnlyAdditions(term: Json, old: Json): boolean {
  const before = items(old, "matchExpressions").length + items(old, "matchFields").length;
  const after = items(term, "matchExpressions").length + items(term, "matchFields").length;
  // An empty term matches nothing; anything in it would widen the choice.
  if (before === 0 && after > 0) return false;
  return ["matchExpressions", "matchFields"].every((key) => {
    const requirements = items(term, key);
    return items(old, key).every((expected, index) => {
      const actual = requirements[index];
      if (actual === undefined || !sameValue({ ...actual, values: [] }, { ...expected, values: [] }))
        return false;
      return sameValue(strings(actual, "values"), strings(expected, "values"));
    });
  });
}
