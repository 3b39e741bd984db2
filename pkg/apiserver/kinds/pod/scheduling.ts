import { dnsLabelProblems } from "../../../api/names.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, integer, items, optionalText, present, strings, text } from "../../../api/json.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { validateNodeAffinity, validateWeight } from "./node-affinity.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateAffinity(affinity: Json | undefined, path: string, errors: FieldErrors): void {
  if (affinity === undefined) return;
  validateNodeAffinity(child(affinity, "nodeAffinity"), `${path}.nodeAffinity`, errors);
  for (const key of ["podAffinity", "podAntiAffinity"]) {
    const terms = child(affinity, key);
    const required = `${path}.${key}.requiredDuringSchedulingIgnoredDuringExecution`;
    for (const [index, term] of items(terms, "requiredDuringSchedulingIgnoredDuringExecution").entries()) {
      validatePodAffinityTerm(term, `${required}[${index}]`, errors);
    }
    const preferred = `${path}.${key}.preferredDuringSchedulingIgnoredDuringExecution`;
    for (const [index, weighted] of items(
      terms,
      "preferredDuringSchedulingIgnoredDuringExecution",
    ).entries()) {
      validateWeight(weighted, `${preferred}[${index}]`, errors);
      validatePodAffinityTerm(
        child(weighted, "podAffinityTerm") ?? {},
        `${preferred}[${index}].podAffinityTerm`,
        errors,
      );
    }
  }
}

function validatePodAffinityTerm(term: Json, path: string, errors: FieldErrors): void {
  validateLabelSelector(child(term, "labelSelector"), `${path}.labelSelector`, errors);
  validateLabelSelector(child(term, "namespaceSelector"), `${path}.namespaceSelector`, errors);
  for (const namespace of strings(term, "namespaces")) {
    errors.invalidEach(`${path}.namespace`, namespace, dnsLabelProblems(namespace));
  }
  validateLabelKeys(term, "matchLabelKeys", path, errors);
  validateLabelKeys(term, "mismatchLabelKeys", path, errors);
  const topologyKey = text(term, "topologyKey");
  if (topologyKey === "") errors.required(`${path}.topologyKey`, "can not be empty");
  errors.invalidEach(`${path}.topologyKey`, topologyKey, labelKeyProblems(topologyKey));
}

function validateLabelKeys(holder: Json, key: string, path: string, errors: FieldErrors): void {
  const keys = strings(holder, key);
  if (keys.length === 0) return;
  if (child(holder, "labelSelector") === undefined) {
    errors.forbidden(`${path}.${key}`, "must not be specified when labelSelector is not set");
    return;
  }
  for (const [index, labelKey] of keys.entries()) {
    errors.invalidEach(`${path}.${key}[${index}]`, labelKey, labelKeyProblems(labelKey));
  }
}

export function validateTolerations(tolerations: readonly Json[], path: string, errors: FieldErrors): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const key = text(toleration, "key");
    const operator = text(toleration, "operator");
    const effect = text(toleration, "effect");
    if (key !== "") errors.invalidEach(`${at}.key`, key, labelKeyProblems(key));
    else if (operator !== "Exists") {
      errors.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (present(toleration, "tolerationSeconds") && effect !== "NoExecute") {
      errors.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    validateTolerationValue(operator, text(toleration, "value"), `${at}.operator`, errors);
    if (effect !== "" && !taintEffects.includes(effect)) {
      errors.notSupported(`${at}.effect`, effect, taintEffects);
    }
  }
}

function validateTolerationValue(operator: string, value: string, path: string, errors: FieldErrors): void {
  if (operator === "Equal" || operator === "") {
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.invalid(path, value, problems.join(";"));
  } else if (operator === "Exists") {
    if (value !== "") errors.invalid(path, value, "value must be empty when `operator` is 'Exists'");
  } else if (operator === "Lt" || operator === "Gt") {
    errors.notSupported(path, operator, ["Equal", "Exists", "Lt", "Gt"]);
  } else {
    errors.notSupported(path, operator, ["Equal", "Exists"]);
  }
}

export function validateSpreadConstraints(spec: Json, path: string, errors: FieldErrors): void {
  const constraints = items(spec, "topologySpreadConstraints");
  const pairs = constraints.map((one) =>
    JSON.stringify([text(one, "topologyKey"), text(one, "whenUnsatisfiable")]),
  );
  const last = new Map(pairs.map((pair, index) => [pair, index]));
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const skew = count(constraint, "maxSkew");
    if (skew <= 0) errors.invalid(`${at}.maxSkew`, skew, "must be greater than zero");
    const topologyKey = text(constraint, "topologyKey");
    if (topologyKey === "") errors.required(`${at}.topologyKey`, "can not be empty");
    const action = text(constraint, "whenUnsatisfiable");
    if (action !== "DoNotSchedule" && action !== "ScheduleAnyway") {
      errors.notSupported(`${at}.whenUnsatisfiable`, action, ["DoNotSchedule", "ScheduleAnyway"]);
    }
    // The last one of its like is not told of.
    if (last.get(pairs[index] ?? "") !== index)
      errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`);
    validateSpreadDetails(constraint, action, at, errors);
  }
}

function validateSpreadDetails(constraint: Json, action: string, path: string, errors: FieldErrors): void {
  const domains = integer(constraint, "minDomains");
  if (domains !== undefined) {
    if (domains <= 0) errors.invalid(`${path}.minDomains`, domains, "must be greater than zero");
    if (action !== "DoNotSchedule") {
      errors.invalid(
        `${path}.minDomains`,
        domains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
      );
    }
  }
  for (const key of ["nodeAffinityPolicy", "nodeTaintsPolicy"]) {
    const policy = optionalText(constraint, key);
    if (policy !== undefined && policy !== "Honor" && policy !== "Ignore") {
      errors.notSupported(`${path}.${key}`, policy, ["Honor", "Ignore"]);
    }
  }
  validateLabelKeys(constraint, "matchLabelKeys", path, errors);
  validateLabelSelector(child(constraint, "labelSelector"), `${path}.labelSelector`, errors);
}
