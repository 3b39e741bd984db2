import { selectorFromSpec } from "../../api/label-selector.ts";
import { SelectorError, type LabelSelector } from "../../api/labels.ts";
import type { FieldErrors } from "./field-errors.ts";
import { labelKeyProblems, labelValueProblems } from "../../api/labels-validate.ts";
import type { Json } from "../../api/json.ts";
import { child, items, present, stringMap, strings, text } from "../../api/json.ts";

/** A selector that can be evaluated; undefined for one that cannot, which validation reports on its own. */
export function parseSelector(selector: Json | undefined): LabelSelector | undefined {
  if (selector === undefined) return selectorFromSpec(undefined);
  const matchExpressions = items(selector, "matchExpressions").map((expression) => ({
    key: text(expression, "key"),
    operator: text(expression, "operator"),
    values: strings(expression, "values"),
  }));
  try {
    return selectorFromSpec({ matchLabels: stringMap(selector, "matchLabels"), matchExpressions });
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
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
  const values = strings(requirement, "values");
  validateOperator(requirement, path, errors);
  const key = text(requirement, "key");
  errors.invalidEach(`${path}.key`, key, labelKeyProblems(key));
  for (const [index, value] of values.entries()) {
    errors.invalidEach(`${path}.values[${index}]`, value, labelValueProblems(value));
  }
}

/** Which values go with an operator that all selectors know. */
export function validateOperator(requirement: Json, path: string, errors: FieldErrors): void {
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
}

export function validateLabels(
  labels: Readonly<Record<string, string>>,
  path: string,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(labels)) {
    errors.invalidEach(path, key, labelKeyProblems(key));
    errors.invalidEach(path, value, labelValueProblems(value));
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
