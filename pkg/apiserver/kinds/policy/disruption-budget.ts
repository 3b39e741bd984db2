import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import { child, count, integer, optionalText, present } from "../../../api/json.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { intOrPercent, validateAtMostAll, validateIntOrPercent } from "../rolling-update.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const policies = ["AlwaysAllow", "IfHealthyBudget"];

const rules: KindSpec = {
  nameFormat: "pathSegment",
  validate(draft, errors) {
    const spec = specOf(draft);
    if (present(spec, "minAvailable") && present(spec, "maxUnavailable")) {
      errors.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
    }
    for (const key of ["minAvailable", "maxUnavailable"]) {
      const value = intOrPercent(spec, key);
      if (value === undefined) continue;
      validateIntOrPercent(value, `spec.${key}`, errors);
      validateAtMostAll(value, `spec.${key}`, errors);
    }
    validateLabelSelector(child(spec, "selector"), "spec.selector", errors);
    const policy = optionalText(spec, "unhealthyPodEvictionPolicy");
    if (policy !== undefined && !policies.includes(policy)) {
      errors.notSupported("spec.unhealthyPodEvictionPolicy", policy, policies);
    }
  },
  validateStatus(draft, _before, errors) {
    const status = child(draft, "status");
    for (const key of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]) {
      errors.nonNegative(`status.${key}`, integer(status, key));
    }
  },
  columns: [
    nameColumn,
    column("Min Available", (budget) => String(intOrPercent(child(budget, "spec"), "minAvailable") ?? "N/A")),
    column("Max Unavailable", (budget) =>
      String(intOrPercent(child(budget, "spec"), "maxUnavailable") ?? "N/A"),
    ),
    column("Allowed Disruptions", (budget) => count(child(budget, "status"), "disruptionsAllowed"), {
      type: "integer",
    }),
    ageColumn,
  ],
};

export const disruptionBudgetKinds = [defineKind(resources.podDisruptionBudgets, rules)];
