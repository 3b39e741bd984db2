import { child, items, type Json, stringMap, text } from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { validateLabels } from "../label-selector.ts";
import { validateContainerResourceName, validateResourceAmount } from "../pod/requirements.ts";
import { validateTolerations } from "../pod/scheduling.ts";
import { quantities } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { runtimeClassWarnings } from "../warnings/storage.ts";

/** upstream: pkg/apis/node/validation, where what pods need besides their containers is checked as limits are. */
function validate(draft: Json, errors: FieldErrors): void {
  for (const [name, quantity] of quantities(child(draft, "overhead"), "podFixed")) {
    const path = `overhead.limits[${name}]`;
    validateContainerResourceName(name, path, errors);
    validateResourceAmount(name, quantity, path, errors);
  }
  const scheduling = child(draft, "scheduling");
  validateLabels(stringMap(scheduling, "nodeSelector"), "scheduling.nodeSelector", errors);
  const tolerations = items(scheduling, "tolerations");
  validateTolerations(tolerations, "scheduling.tolerations", errors);
  const seen = new Set<string>();
  for (const [index, toleration] of tolerations.entries()) {
    const key = JSON.stringify(["key", "operator", "value", "effect"].map((name) => text(toleration, name)));
    if (seen.has(key)) errors.duplicate(`scheduling.tolerations[${index}]`, toleration);
    seen.add(key);
  }
}

export const runtimeClassKinds = [
  defineKind(resources.runtimeClasses, {
    warnings: runtimeClassWarnings,
    declaredRules: true,
    validate,
    validateChange(draft, before, errors) {
      errors.immutable("handler", text(draft, "handler"), text(before, "handler"));
    },
    columns: [nameColumn, column("Handler", (object) => text(object, "handler")), ageColumn],
  }),
];
