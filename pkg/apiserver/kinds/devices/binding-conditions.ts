import { type Json, strings } from "../../../api/json.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";

/** What a device waits for before a pod is bound, and what says that it waits in vain: both or neither. */
export function validateBindingConditions(parent: Json, path: string, errors: FieldErrors): void {
  const conditions = strings(parent, "bindingConditions");
  const failures = strings(parent, "bindingFailureConditions");
  for (const [key, list] of [
    ["bindingConditions", conditions],
    ["bindingFailureConditions", failures],
  ] as const)
    for (const [index, one] of list.entries()) {
      const at = `${path}.${key}[${index}]`;
      errors.invalidEach(at, one, labelKeyProblems(one));
      if (list.indexOf(one) < index) errors.duplicate(at, one);
      if (key === "bindingFailureConditions" && conditions.includes(one))
        errors.invalid(at, one, "bindingFailureConditions must not overlap with bindingConditions");
    }
  if (conditions.length === 0 && failures.length > 0)
    errors.invalid(
      `${path}.bindingConditions`,
      parent["bindingConditions"] ?? null,
      "bindingConditions are required to use bindingFailureConditions",
    );
  if (failures.length === 0 && conditions.length > 0)
    errors.invalid(
      `${path}.bindingFailureConditions`,
      parent["bindingFailureConditions"] ?? null,
      "bindingFailureConditions are required to use bindingConditions",
    );
}
