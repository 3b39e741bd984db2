import { dnsSubdomainProblems } from "../../../api/names.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";
import { validateOperator } from "../label-selector.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, items, strings, text } from "../../../api/json.ts";

export function validateNodeAffinity(affinity: Json | undefined, path: string, errors: FieldErrors): void {
  const required = child(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  if (required !== undefined) {
    validateNodeSelector(required, `${path}.requiredDuringSchedulingIgnoredDuringExecution`, errors);
  }
  const preferred = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  for (const [index, term] of items(affinity, "preferredDuringSchedulingIgnoredDuringExecution").entries()) {
    const at = `${preferred}[${index}]`;
    validateWeight(term, at, errors);
    validateTerm(child(term, "preference") ?? {}, false, `${at}.preference`, errors);
  }
}

/** How much a preference counts. */
export function validateWeight(weighted: Json, path: string, errors: FieldErrors): void {
  const weight = count(weighted, "weight");
  if (weight <= 0 || weight > 100) errors.invalid(`${path}.weight`, weight, "must be in the range 1-100");
}

/** The node selector of an affinity and of a volume. */
export function validateNodeSelector(selector: Json, path: string, errors: FieldErrors): void {
  const terms = items(selector, "nodeSelectorTerms");
  if (terms.length === 0) {
    errors.required(`${path}.nodeSelectorTerms`, "must have at least one node selector term");
  }
  for (const [index, term] of terms.entries()) {
    validateTerm(term, true, `${path}.nodeSelectorTerms[${index}]`, errors);
  }
}

function validateTerm(term: Json, checkValues: boolean, path: string, errors: FieldErrors): void {
  for (const [index, requirement] of items(term, "matchExpressions").entries()) {
    validateRequirement(requirement, checkValues, `${path}.matchExpressions[${index}]`, errors);
  }
  for (const [index, requirement] of items(term, "matchFields").entries()) {
    validateFieldRequirement(requirement, `${path}.matchFields[${index}]`, errors);
  }
}

function validateRequirement(
  requirement: Json,
  checkValues: boolean,
  path: string,
  errors: FieldErrors,
): void {
  const values = strings(requirement, "values");
  const operator = text(requirement, "operator");
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      errors.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else validateOperator(requirement, path, errors);
  const key = text(requirement, "key");
  errors.invalidEach(`${path}.key`, key, labelKeyProblems(key));
  if (!checkValues) return;
  for (const [index, value] of values.entries()) {
    errors.invalidEach(`${path}.values[${index}]`, value, labelValueProblems(value));
  }
}

function validateFieldRequirement(requirement: Json, path: string, errors: FieldErrors): void {
  const values = strings(requirement, "values");
  const operator = text(requirement, "operator");
  if (operator !== "In" && operator !== "NotIn") {
    errors.invalid(`${path}.operator`, operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    errors.required(
      `${path}.values`,
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  }
  const key = text(requirement, "key");
  if (key !== "metadata.name") {
    errors.invalid(`${path}.key`, key, "not a valid field selector key");
    return;
  }
  for (const [index, value] of values.entries()) {
    errors.invalidEach(`${path}.values[${index}]`, value, dnsSubdomainProblems(value));
  }
}
