import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { omitted, type FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, items, optionalText, present, text } from "../../../api/json.ts";
import { containerNames } from "../pod/container.ts";
import { repeatedPlaces } from "../repeated.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

export function validatePodFailurePolicy(spec: Json, path: string, errors: FieldErrors): void {
  const rules = items(child(spec, "podFailurePolicy"), "rules");
  if (rules.length > 20) errors.tooMany(`${path}.rules`, rules.length, 20);
  const containers = new Set(containerNames(child(child(spec, "template"), "spec") ?? {}));
  for (const [index, rule] of rules.entries()) {
    validateRule({ spec, containers }, rule, `${path}.rules[${index}]`, errors);
  }
}

function listed(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

interface Job {
  readonly spec: Json;
  /** The names of all containers of its template. */
  readonly containers: ReadonlySet<string>;
}

function validateRule({ spec, containers }: Job, rule: Json, path: string, errors: FieldErrors): void {
  const action = text(rule, "action");
  if (action === "") errors.required(`${path}.action`, listed(actions));
  else if (action === "FailIndex") {
    if (!present(spec, "backoffLimitPerIndex")) {
      errors.invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set");
    }
  } else if (!actions.includes(action)) errors.notSupported(`${path}.action`, action, actions);
  const exitCodes = child(rule, "onExitCodes");
  const patterns = items(rule, "onPodConditions");
  if (exitCodes !== undefined) validateExitCodes(exitCodes, containers, `${path}.onExitCodes`, errors);
  validatePatterns(patterns, `${path}.onPodConditions`, errors);
  if (exitCodes !== undefined && patterns.length > 0) {
    errors.invalid(path, omitted, "specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (exitCodes === undefined && patterns.length === 0) {
    errors.invalid(path, omitted, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function validatePatterns(patterns: readonly Json[], path: string, errors: FieldErrors): void {
  if (patterns.length > 20) errors.tooMany(path, patterns.length, 20);
  for (const [index, pattern] of patterns.entries()) {
    const type = text(pattern, "type");
    errors.invalidEach(`${path}[${index}].type`, type, labelKeyProblems(type));
    const status = text(pattern, "status");
    if (status === "") errors.required(`${path}[${index}].status`, listed(statuses));
    else if (!statuses.includes(status)) errors.notSupported(`${path}[${index}].status`, status, statuses);
  }
}

function validateExitCodes(
  exitCodes: Json,
  names: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  const operator = text(exitCodes, "operator");
  if (operator === "") errors.required(`${path}.operator`, listed(operators));
  else if (!operators.includes(operator)) errors.notSupported(`${path}.operator`, operator, operators);
  const container = optionalText(exitCodes, "containerName");
  if (container !== undefined && !names.has(container)) {
    errors.invalid(
      `${path}.containerName`,
      container,
      "must be one of the container or initContainer names in the pod template",
    );
  }
  const given = exitCodes["values"];
  const values = Array.isArray(given) ? given.filter((value) => typeof value === "number") : [];
  const at = `${path}.values`;
  if (values.length === 0) errors.invalid(at, given ?? null, "at least one value is required");
  else if (values.length > 255) errors.tooMany(at, values.length, 255);
  const repeated = repeatedPlaces(values);
  for (const [index, value] of values.entries()) {
    if (operator === "In" && value === 0) {
      errors.invalid(`${at}[${index}]`, value, "must not be 0 for the In operator");
    }
    if (repeated.has(index)) errors.duplicate(`${at}[${index}]`, value);
  }
  if (values.some((value, index) => (values[index - 1] ?? value) > value)) {
    errors.invalid(at, values, "must be ordered");
  }
}
