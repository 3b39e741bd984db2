import type { FieldErrors } from "./field-errors.ts";
import { labelValue, qualifiedName } from "./formats.ts";
import type { Json } from "./json.ts";
import { child, items, present, stringMap, strings, text } from "./json.ts";

/** The `selector` of workloads: matchLabels and matchExpressions. Undefined never matches, an empty one always. */
export function selectorMatches(
  selector: Json | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(stringMap(selector, "matchLabels"))) {
    if (labels[key] !== value) return false;
  }
  return items(selector, "matchExpressions").every((requirement) => requirementMatches(requirement, labels));
}

function requirementMatches(requirement: Json, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[text(requirement, "key")];
  const values = strings(requirement, "values");
  switch (text(requirement, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

/** Whether the selector can be evaluated at all; one that cannot is reported once and matches nothing. */
export function selectorIsReadable(selector: Json | undefined): boolean {
  return items(selector, "matchExpressions").every((requirement) => {
    const probe = validateRequirementShape(requirement);
    return probe && qualifiedName(text(requirement, "key")).length === 0;
  });
}

function validateRequirementShape(requirement: Json): boolean {
  const values = strings(requirement, "values");
  const operator = text(requirement, "operator");
  if (operator === "In" || operator === "NotIn") {
    return values.length > 0 && values.every((value) => labelValue(value).length === 0);
  }
  return (operator === "Exists" || operator === "DoesNotExist") && values.length === 0;
}

export function selectorIsEmpty(selector: Json | undefined): boolean {
  return (
    Object.keys(child(selector, "matchLabels") ?? {}).length + items(selector, "matchExpressions").length ===
    0
  );
}

export function validateLabelSelector(selector: Json | undefined, path: string, errors: FieldErrors): void {
  if (selector === undefined) return;
  validateLabels(stringMap(selector, "matchLabels"), `${path}.matchLabels`, errors);
  for (const [index, requirement] of items(selector, "matchExpressions").entries()) {
    validateRequirement(requirement, `${path}.matchExpressions[${index}]`, errors);
  }
}

function validateRequirement(requirement: Json, path: string, errors: FieldErrors): void {
  const operator = text(requirement, "operator");
  const values = strings(requirement, "values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.forbidden(
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
    }
  } else {
    errors.invalid(`${path}.operator`, operator, "not a valid selector operator");
  }
  const key = text(requirement, "key");
  errors.invalidEach(`${path}.key`, key, qualifiedName(key));
  for (const [index, value] of values.entries()) {
    errors.invalidEach(`${path}.values[${index}]`, value, labelValue(value));
  }
}

export function validateLabels(
  labels: Readonly<Record<string, string>>,
  path: string,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(labels)) {
    errors.invalidEach(path, key, qualifiedName(key));
    errors.invalidEach(path, value, labelValue(value));
  }
}

/** A workload's selector: required, well formed, and not one that takes every pod of the namespace. */
export function validateWorkloadSelector(spec: Json, path: string, noun: string, errors: FieldErrors): void {
  if (!present(spec, "selector")) {
    errors.required(`${path}.selector`);
    return;
  }
  const selector = child(spec, "selector");
  validateLabelSelector(selector, `${path}.selector`, errors);
  if (selectorIsEmpty(selector)) {
    errors.invalid(`${path}.selector`, selector ?? {}, `empty selector is invalid for ${noun}`);
  }
}
