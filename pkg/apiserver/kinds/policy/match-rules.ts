import { conditionProblem } from "../../admission/expressions/conditions.ts";
import { child, items, optionalText, type Json, present, strings, text } from "../../../api/json.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment } from "../formats.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { repeatedPlaces } from "../repeated.ts";

/** What webhooks and policies have in common: the requests that they are about. */

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
export const FAILURE_POLICIES = ["Fail", "Ignore"];
export const MATCH_POLICIES = ["Equivalent", "Exact"];

export function validateRule(rule: Json, path: string, errors: FieldErrors): void {
  const operations = strings(rule, "operations");
  if (operations.length === 0) errors.required(`${path}.operations`);
  requireLonely(operations, `${path}.operations`, "operations", errors);
  for (const [index, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation))
      errors.notSupported(`${path}.operations[${index}]`, operation, OPERATIONS);
  }
  const groups = strings(rule, "apiGroups");
  if (groups.length === 0) errors.required(`${path}.apiGroups`);
  requireLonely(groups, `${path}.apiGroups`, "API groups", errors);
  const versions = strings(rule, "apiVersions");
  if (versions.length === 0) errors.required(`${path}.apiVersions`);
  requireLonely(versions, `${path}.apiVersions`, "API versions", errors);
  for (const [index, version] of versions.entries())
    if (version === "") errors.required(`${path}.apiVersions[${index}]`);
  validateResources(strings(rule, "resources"), `${path}.resources`, errors);
  const scope = optionalText(rule, "scope");
  if (scope !== undefined && !SCOPES.includes(scope)) errors.notSupported(`${path}.scope`, scope, SCOPES);
}

function requireLonely(values: readonly string[], path: string, what: string, errors: FieldErrors): void {
  if (values.length > 1 && values.includes("*"))
    errors.invalid(path, values, `if '*' is present, must not specify other ${what}`);
}

function validateResources(resources: readonly string[], path: string, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(path);
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let hasPlain = false;
  for (const [index, resource] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (resource === "") {
      errors.required(at);
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      hasPlain = resource !== "*";
      continue;
    }
    const [main, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (wholeResources.has(main))
      errors.invalid(at, resource, `if '${main}/*' is present, must not specify ${resource}`);
    if (wholeSubresources.has(sub))
      errors.invalid(at, resource, `if '*/${sub}' is present, must not specify ${resource}`);
    if (sub === "*") wholeResources.add(main);
    if (main === "*") wholeSubresources.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.invalid(path, resources, "if '*/*' is present, must not specify other resources");
  if (resources.includes("*") && hasPlain)
    errors.invalid(
      path,
      resources,
      "if '*' is present, must not specify other resources without subresources",
    );
}

export function validateMatchResources(match: Json, path: string, errors: FieldErrors): void {
  const policy = text(match, "matchPolicy");
  if (!MATCH_POLICIES.includes(policy)) errors.notSupported(`${path}.matchPolicy`, policy, MATCH_POLICIES);
  for (const key of ["namespaceSelector", "objectSelector"])
    validateLabelSelector(child(match, key), `${path}.${key}`, errors);
  for (const key of ["resourceRules", "excludeResourceRules"]) {
    for (const [index, rule] of items(match, key).entries()) {
      const at = `${path}.${key}[${index}]`;
      validateResourceNames(strings(rule, "resourceNames"), `${at}.resourceNames`, errors);
      validateRule(rule, at, errors);
    }
  }
}

function validateResourceNames(names: readonly string[], path: string, errors: FieldErrors): void {
  const repeated = repeatedPlaces(names);
  for (const [index, name] of names.entries()) {
    errors.invalidEach(`${path}[${index}]`, name, pathSegment(name));
    if (repeated.has(index)) errors.duplicate(`${path}[${index}]`, name);
  }
}

/** All but the expressions themselves, which are not compiled here. */
export function validateMatchConditions(
  conditions: readonly Json[],
  path: string,
  errors: FieldErrors,
  params = false,
): void {
  if (conditions.length > 64) errors.tooMany(path, conditions.length, 64);
  const names = conditions.map((condition) => text(condition, "name"));
  const repeated = repeatedPlaces(names);
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`;
    const expression = text(condition, "expression").trim();
    const problem = expression === "" ? undefined : conditionProblem(expression, params);
    if (expression === "") errors.required(`${at}.expression`);
    else if (problem !== undefined) errors.invalid(`${at}.expression`, expression, problem);
    const name = names[index] ?? "";
    if (name === "") errors.required(`${at}.name`);
    else {
      errors.invalidEach(`${at}.name`, name, labelKeyProblems(name));
      if (repeated.has(index)) errors.duplicate(`${at}.name`, name);
    }
  }
}

export function validateParamKind(kind: Json, path: string, errors: FieldErrors): void {
  const apiVersion = text(kind, "apiVersion");
  const [group = "", version = "", ...rest] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  if (apiVersion === "") errors.required(`${path}.apiVersion`);
  else if (rest.length > 0)
    errors.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    if (group !== "") invalidAll(`${path}.apiVersion`, group, dnsSubdomainProblems(group), errors);
    if (version === "") errors.invalid(`${path}.apiVersion`, apiVersion, "version must be specified");
    else invalidAll(`${path}.apiVersion`, version, dns1035LabelProblems(version), errors);
  }
  const name = text(kind, "kind");
  if (name === "") errors.required(`${path}.kind`);
  else {
    const problems = dns1035LabelProblems(name.toLowerCase());
    if (problems.length > 0)
      errors.invalid(
        `${path}.kind`,
        name,
        `may have mixed case, but should otherwise match: ${problems.join(",")}`,
      );
  }
}

function invalidAll(path: string, value: string, problems: readonly string[], errors: FieldErrors): void {
  if (problems.length > 0) errors.invalid(path, value, problems.join(","));
}

export function validateParamRef(reference: Json, path: string, errors: FieldErrors): void {
  const name = text(reference, "name");
  const selector = child(reference, "selector");
  errors.invalidEach(`${path}.name`, name, pathSegment(name));
  if (name !== "" && selector !== undefined)
    errors.forbidden(`${path}.name`, "name and selector are mutually exclusive");
  validateLabelSelector(selector, `${path}.selector`, errors);
  if (name !== "" && selector !== undefined)
    errors.forbidden(`${path}.selector`, "name and selector are mutually exclusive");
  if (name === "" && !present(reference, "selector"))
    errors.required(path, "one of name or selector must be specified");
  errors.oneOf(`${path}.parameterNotFoundAction`, text(reference, "parameterNotFoundAction"), [
    "Deny",
    "Allow",
  ]);
}
