import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { ApiObject } from "../../../api/object.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, items, sameValue, strings, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { isHugePages, isStandardResource, validateResourceAmount } from "../pod/requirements.ts";
import { quantities } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const compute = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const standardResources = new Set([
  ...compute,
  "ephemeral-storage",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);
const podScopes = new Set([
  "Terminating",
  "NotTerminating",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);
const scopes = new Set([...podScopes, "BestEffort", "VolumeAttributesClass"]);
const podResources = new Set([...compute, "pods"]);

function validateAmounts(holder: Json | undefined, key: string, path: string, errors: FieldErrors): void {
  for (const [name, quantity] of quantities(holder, key)) {
    const at = `${path}[${name}]`;
    const problems = labelKeyProblems(name);
    errors.invalidEach(at, name, problems);
    const known =
      name.includes("/") ||
      standardResources.has(name) ||
      isHugePages(name) ||
      name.startsWith("requests.hugepages-");
    if (problems.length === 0 && !name.includes("/") && !isStandardResource(name)) {
      errors.invalid(at, name, "must be a standard resource type or fully qualified");
    }
    if (problems.length === 0 && !known) errors.invalid(at, name, "must be a standard resource for quota");
    validateResourceAmount(name, quantity, at, errors);
  }
}

/** What a scope can count: best-effort pods have no resources to add up. */
function scopeFits(scope: string, resource: string): boolean {
  if (!standardResources.has(resource)) return true;
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass")
    return resource === "persistentvolumeclaims" || resource === "requests.storage";
  return podScopes.has(scope) ? podResources.has(resource) : true;
}

function validateScopes(spec: Json, errors: FieldErrors): void {
  const given = strings(spec, "scopes");
  const names = [...quantities(spec, "hard").keys()].toSorted();
  for (const scope of given) {
    if (!scopes.has(scope)) errors.invalid("spec.scopes", given, "unsupported scope");
    for (const name of names) {
      if (!scopeFits(scope, name))
        errors.invalid("spec.scopes", given, "unsupported scope applied to resource");
    }
  }
  validatePairs(given, given, errors);
}

function validatePairs(given: readonly string[], reported: unknown, errors: FieldErrors): void {
  for (const pair of [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ]) {
    if (pair.every((scope) => given.includes(scope))) {
      errors.invalid("spec.scopes", reported, "conflicting scopes");
    }
  }
}

function validateScopeSelector(spec: Json, errors: FieldErrors): void {
  const selector = child(spec, "scopeSelector");
  const path = "spec.scopeSelector.matchExpressions";
  const names = [...quantities(spec, "hard").keys()].toSorted();
  const requirements = items(selector, "matchExpressions");
  for (const requirement of requirements) {
    const scope = text(requirement, "scopeName");
    const operator = text(requirement, "operator");
    const values = strings(requirement, "values");
    if (!scopes.has(scope)) errors.invalid(`${path}.scopeName`, scope, "unsupported scope");
    for (const name of names) {
      if (!scopeFits(scope, name)) errors.invalid(path, selector, "unsupported scope applied to resource");
    }
    if (
      scope !== "PriorityClass" &&
      scope !== "VolumeAttributesClass" &&
      scopes.has(scope) &&
      operator !== "Exists"
    ) {
      errors.invalid(
        `${path}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
    }
    validateOperator(operator, values, path, errors);
  }
  validatePairs(
    requirements.map((one) => text(one, "scopeName")),
    spec["scopes"] ?? null,
    errors,
  );
}

function validateOperator(
  operator: string,
  values: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return;
    errors.required(
      `${path}.values`,
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    );
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return;
    errors.invalid(
      `${path}.values`,
      values,
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    );
  } else errors.invalid(`${path}.operator`, operator, "not a valid selector operator");
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  validateAmounts(spec, "hard", "spec.hard", errors);
  validateScopes(spec, errors);
  validateScopeSelector(spec, errors);
}

/** `cpu: 1/2`, what requests use of each hard limit, or the limits likewise. */
function usageCell(quota: Json, limits: boolean): string {
  const status = child(quota, "status");
  const used = quantities(status, "used");
  const hard = quantities(status, "hard");
  return [...hard]
    .filter(([name]) => name.startsWith("limits") === limits)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, amount]) => `${name}: ${used.get(name)?.toString() ?? "0"}/${amount.toString()}`)
    .join(", ");
}

/** Of requests that are to be more than their limits. */
function quotaWarnings(draft: Draft, before: ApiObject | undefined): readonly string[] {
  if (before !== undefined) return [];
  const hard = quantities(specOf(draft), "hard");
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isShort = name === "cpu" || name === "memory";
    const key = isShort && !hard.has(`requests.${name}`) ? name : `requests.${name}`;
    const [request, limit] = [hard.get(key), hard.get(`limits.${name}`)];
    if (request === undefined || limit === undefined || request.compare(limit) <= 0) return [];
    return [
      `ResourceQuota ${key} (${request.toString()}) should be less than limits.${name} (${limit.toString()})`,
    ];
  });
}

const rules: KindSpec = {
  warnings: quotaWarnings,
  validate,
  validateChange(draft, before, errors) {
    const now = strings(specOf(draft), "scopes");
    const old = strings(child(before, "spec"), "scopes");
    if (!sameValue(now.toSorted(), old.toSorted())) {
      errors.invalid("spec.scopes", now, "field is immutable");
    }
  },
  validateStatus(draft, _before, errors) {
    for (const key of ["hard", "used"]) validateAmounts(child(draft, "status"), key, `status.${key}`, errors);
  },
  columns: [
    nameColumn,
    column("Request", (quota) => usageCell(quota, false)),
    column("Limit", (quota) => usageCell(quota, true)),
    ageColumn,
  ],
};

export const resourceQuotaKinds = [defineKind(resources.resourceQuotas, rules)];
