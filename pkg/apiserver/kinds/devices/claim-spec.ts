import { child, count64, items, type Json, present, strings, text } from "../../../api/json.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { validateDriverName, validateFullyQualifiedName, validateLabelName } from "./names.ts";
import { validateParameters } from "./parameters.ts";

/** What a claim asks for. upstream: pkg/apis/resource/validation#validateDeviceClaim */
export function validateClaimSpec(spec: Json | undefined, path: string, errors: FieldErrors): void {
  const devices = child(spec, "devices");
  const names = requestNames(devices);
  for (const [index, request] of items(devices, "requests").entries())
    validateRequest(request, `${path}.devices.requests[${index}]`, errors);
  for (const [index, constraint] of items(devices, "constraints").entries()) {
    const at = `${path}.devices.constraints[${index}]`;
    validateRequestReferences(constraint, names, at, errors);
    validateConstraint(constraint, at, errors);
  }
  for (const [index, config] of items(devices, "config").entries()) {
    const at = `${path}.devices.config[${index}]`;
    validateRequestReferences(config, names, at, errors);
    validateConfiguration(config, at, errors);
  }
}

/** Requests by name, and subrequests by that of the request and their own. */
export function requestNames(devices: Json | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (const request of items(devices, "requests")) {
    const name = text(request, "name");
    names.add(name);
    for (const one of items(request, "firstAvailable")) names.add(`${name}/${text(one, "name")}`);
  }
  return names;
}

export function validateRequestReferences(
  parent: Json,
  names: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  for (const [index, name] of strings(parent, "requests").entries())
    validateRequestReference(name, names, `${path}.requests[${index}]`, errors);
}

const notARequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function validateRequestReference(
  name: string,
  names: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  const segments = name.split("/");
  if (segments.length <= 2) for (const segment of segments) validateLabelName(segment, path, errors);
  if (!names.has(name)) errors.invalid(path, name, notARequest);
}

export function validateConfiguration(config: Json, path: string, errors: FieldErrors): void {
  const opaque = child(config, "opaque");
  if (opaque === undefined) {
    errors.required(`${path}.opaque`);
    return;
  }
  validateDriverName(text(opaque, "driver"), `${path}.opaque.driver`, errors);
  validateParameters(opaque["parameters"], `${path}.opaque.parameters`, errors);
}

export const expressionLimit = 10 * 1024;

/** Their expressions are compiled apart from this, as that takes its time. */
export function validateSelectors(parent: Json | undefined, path: string, errors: FieldErrors): void {
  for (const [index, selector] of items(parent, "selectors").entries()) {
    const at = `${path}.selectors[${index}].cel`;
    const cel = child(selector, "cel");
    if (cel === undefined) errors.required(at);
    else if (Buffer.byteLength(text(cel, "expression")) > expressionLimit)
      errors.tooLong(`${at}.expression`, expressionLimit);
  }
}

function validateRequest(request: Json, path: string, errors: FieldErrors): void {
  validateLabelName(text(request, "name"), `${path}.name`, errors);
  const exactly = child(request, "exactly");
  const alternatives = items(request, "firstAvailable");
  const message = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined && alternatives.length === 0) errors.required(path, message);
  else if (exactly !== undefined && alternatives.length > 0)
    errors.invalid(path, null, `${message}, but multiple fields are set`);
  else if (exactly !== undefined) validateOneRequest(exactly, `${path}.exactly`, errors);
  else
    for (const [index, one] of alternatives.entries()) {
      const at = `${path}.firstAvailable[${index}]`;
      validateLabelName(text(one, "name"), `${at}.name`, errors);
      validateOneRequest(one, at, errors);
    }
}

function validateOneRequest(request: Json, path: string, errors: FieldErrors): void {
  const className = text(request, "deviceClassName");
  if (className === "") errors.required(`${path}.deviceClassName`);
  else errors.invalidEach(`${path}.deviceClassName`, className, dnsSubdomainProblems(className));
  validateSelectors(request, path, errors);
  validateAllocationMode(request, path, errors);
  for (const [index, toleration] of items(request, "tolerations").entries())
    validateToleration(toleration, `${path}.tolerations[${index}]`, errors);
}

function validateAllocationMode(request: Json, path: string, errors: FieldErrors): void {
  const mode = text(request, "allocationMode");
  const count = count64(request, "count");
  if (mode === "All") {
    const message = "must not be specified when allocationMode is 'All'";
    if (count !== 0) errors.invalid(`${path}.count`, count, message);
  } else if (mode === "ExactCount") {
    if (count <= 0) errors.invalid(`${path}.count`, count, "must be greater than zero");
  } else errors.notSupported(`${path}.allocationMode`, mode, ["All", "ExactCount"]);
}

export const taintEffects = ["NoExecute", "NoSchedule", "None"];

function validateToleration(toleration: Json, path: string, errors: FieldErrors): void {
  const key = text(toleration, "key");
  if (key !== "") errors.invalidEach(`${path}.key`, key, labelKeyProblems(key));
  const operator = text(toleration, "operator");
  const value = text(toleration, "value");
  if (operator === "Exists") {
    if (value !== "") errors.invalid(`${path}.value`, value, "must be empty for operator `Exists`");
  } else if (operator === "Equal") errors.invalidEach(`${path}.value`, value, labelValueProblems(value));
  else errors.oneOf(`${path}.operator`, operator, ["Equal", "Exists"]);
  const effect = text(toleration, "effect");
  if (effect !== "" && !taintEffects.includes(effect))
    errors.notSupported(`${path}.effect`, effect, taintEffects);
}

function validateConstraint(constraint: Json, path: string, errors: FieldErrors): void {
  for (const key of ["matchAttribute", "distinctAttribute"]) {
    if (!present(constraint, key)) continue;
    validateFullyQualifiedName(text(constraint, key), `${path}.${key}`, errors);
    return;
  }
  // upstream: these are its words where none is set.
  const words =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  errors.required(path, words);
}
