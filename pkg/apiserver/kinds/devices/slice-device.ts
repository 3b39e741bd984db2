import { child, flag, isJson, items, type Json, present, sameValue, text } from "../../../api/json.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength } from "../formats.ts";
import { validateNodeSelector } from "../pod/node-affinity.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { validateRequestPolicy } from "./capacity-policy.ts";
import { taintEffects } from "./claim-spec.ts";
import { validateCounters } from "./counters.ts";
import { validateLabelName, validateQualifiedName } from "./names.ts";

const ATTRIBUTES_AND_CAPACITIES = 32;
const TAINTS = 16;
const VALUE = 64;
const KEY = 63 + 1 + 32;

interface Device {
  readonly path: string;
  readonly old: Json | undefined;
  /** The slice leaves it to its devices where they can be used. */
  readonly eachChoosesNodes: boolean;
}

/** upstream: pkg/apis/resource/validation#validateDevice */
export function validateDevice(device: Json, given: Device, errors: FieldErrors): void {
  const { path, old } = given;
  validateLabelName(text(device, "name"), `${path}.name`, errors);
  const attributes = Object.entries(child(device, "attributes") ?? {});
  const capacities = Object.entries(child(device, "capacity") ?? {});
  const total = attributes.length + capacities.length;
  if (total > ATTRIBUTES_AND_CAPACITIES)
    errors.invalid(
      path,
      total,
      `the total number of attributes and capacities must not exceed ${ATTRIBUTES_AND_CAPACITIES}`,
    );
  for (const [name, attribute] of attributes) {
    validateQualifiedName(name, `${path}.attributes`, errors);
    if (isJson(attribute)) validateAttribute(attribute, `${path}.attributes[${shortened(name)}]`, errors);
  }
  for (const [name, capacity] of capacities) {
    validateQualifiedName(name, `${path}.capacity`, errors);
    const at = `${path}.capacity[${shortened(name)}].requestPolicy`;
    const policy = isJson(capacity) ? child(capacity, "requestPolicy") : undefined;
    if (!isJson(capacity) || policy === undefined) continue;
    if (!flag(device, "allowMultipleAllocations"))
      errors.forbidden(at, "allowMultipleAllocations must be true");
    else validateRequestPolicy(capacity["value"], policy, at, errors);
  }
  if (!sameValue(old?.["taints"], device["taints"])) validateTaints(device, path, errors);
  for (const [index, consumption] of items(device, "consumesCounters").entries()) {
    const at = `${path}.consumesCounters[${index}]`;
    const set = text(consumption, "counterSet");
    if (set === "") errors.required(`${at}.counterSet`);
    else errors.invalidEach(`${at}.counterSet`, set, dnsLabelProblems(set));
    validateCounters(consumption, at, errors);
  }
  validateNodes(device, given, errors);
  validateBindingConditions(device, path, errors);
}

/** upstream: long keys are cut in their middle. */
function shortened(key: string): string {
  if (key.length <= KEY) return key;
  const left = KEY - 3;
  return `${key.slice(0, Math.ceil(left / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** The time that the pattern takes grows with the square of the length; what is far too long is refused without it. */
function isVersion(value: string): boolean {
  return value.length <= 1_000 && version.test(value);
}

function validateAttribute(attribute: Json, path: string, errors: FieldErrors): void {
  const given = ["bool", "int", "string", "version"].filter((key) => present(attribute, key));
  for (const key of given) {
    const value = text(attribute, key);
    if (key === "version" && !isVersion(value))
      errors.invalid(`${path}.version`, value, "must be a string compatible with semver.org spec 2.0.0");
    if (byteLength(value) > VALUE) errors.tooLong(`${path}.${key}`, VALUE);
  }
  if (given.length !== 1)
    errors.invalid(path, given.length === 0 ? "" : attribute, "exactly one value must be specified");
}

function validateTaints(device: Json, path: string, errors: FieldErrors): void {
  const taints = items(device, "taints");
  if (taints.length > TAINTS) {
    errors.tooMany(`${path}.taints`, taints.length, TAINTS);
    return;
  }
  for (const [index, taint] of taints.entries()) {
    const at = `${path}.taints[${index}]`;
    const [key, value, effect] = [text(taint, "key"), text(taint, "value"), text(taint, "effect")];
    errors.invalidEach(`${at}.key`, key, labelKeyProblems(key));
    errors.invalidEach(`${at}.value`, value, labelValueProblems(value));
    errors.oneOf(`${at}.effect`, effect, taintEffects);
  }
}

const places = ["nodeName", "nodeSelector", "allNodes"];

function validateNodes(device: Json, { path, eachChoosesNodes }: Device, errors: FieldErrors): void {
  if (!eachChoosesNodes) {
    if (places.some((key) => present(device, key)))
      errors.invalid(
        path,
        null,
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      );
    return;
  }
  const given: string[] = [];
  if (present(device, "nodeName")) {
    const name = text(device, "nodeName");
    if (name === "") errors.invalid(`${path}.nodeName`, name, "must not be empty");
    else given.push("`nodeName`");
    if (name !== "") errors.invalidEach(`${path}.nodeName`, name, dnsSubdomainProblems(name));
  }
  const selector = child(device, "nodeSelector");
  if (selector !== undefined) {
    given.push("`nodeSelector`");
    validateNodeSelector(selector, `${path}.nodeSelector`, errors);
  }
  if (device["allNodes"] === true) given.push("`allNodes`");
  else if (present(device, "allNodes"))
    errors.invalid(`${path}.allNodes`, false, "must be either unset or set to true");
  const message =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (given.length === 0) errors.required(path, message);
  else if (given.length > 1) errors.invalid(path, `{${given.join(", ")}}`, message);
}
