import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { Quantity } from "../../../api/quantity.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, ensure, items, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from "../pod/requirements.ts";
import { quantities } from "../quantities.ts";

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** A container's default is its maximum, what it requests by default is that default, or else the minimum. */
function setDefaults(draft: Draft): void {
  for (const limit of items(specOf(draft), "limits")) {
    if (text(limit, "type") !== "Container") continue;
    fill(limit, "default", "max");
    fill(limit, "defaultRequest", "default");
    fill(limit, "defaultRequest", "min");
  }
}

function fill(limit: Json, target: string, source: string): void {
  for (const [name, value] of Object.entries(child(limit, source) ?? {})) {
    ensure(limit, target)[name] ??= value;
  }
}

function validate(draft: Draft, errors: FieldErrors): void {
  const types = new Set<string>();
  for (const [index, limit] of items(specOf(draft), "limits").entries()) {
    const path = `spec.limits[${index}]`;
    const type = text(limit, "type");
    const problems = labelKeyProblems(type);
    errors.invalidEach(`${path}.type`, type, problems);
    if (
      problems.length === 0 &&
      !type.includes("/") &&
      !["Pod", "Container", "PersistentVolumeClaim"].includes(type)
    ) {
      errors.invalid(`${path}.type`, type, "must be a standard limit type or fully qualified");
    }
    if (types.has(type)) errors.duplicate(`${path}.type`, type);
    types.add(type);
    validateItem(limit, type, path, errors);
  }
}

function validateItem(limit: Json, type: string, path: string, errors: FieldErrors): void {
  const amounts = Object.fromEntries(lists.map((key) => [key, quantities(limit, key)]));
  if (type === "Pod") {
    for (const key of ["default", "defaultRequest"]) {
      if ((amounts[key]?.size ?? 0) === 0) continue;
      errors.forbidden(`${path}.${key}`, "may not be specified when `type` is 'Pod'");
      amounts[key] = new Map();
    }
  }
  const hasStorage = amounts["min"]?.has("storage") === true || amounts["max"]?.has("storage") === true;
  if (type === "PersistentVolumeClaim" && !hasStorage) {
    errors.required(
      `${path}.limits`,
      "either minimum or maximum storage value is required, but neither was provided",
    );
  }
  const names = new Set<string>();
  for (const key of lists) {
    for (const name of amounts[key]?.keys() ?? []) {
      names.add(name);
      const at = `${path}.${key}[${name}]`;
      if (type === "Pod" || type === "Container") validateContainerResourceName(name, at, errors);
      else validateResourceName(name, at, errors);
    }
  }
  for (const name of names) validateOrder(name, amounts, path, errors);
}

type Amounts = Readonly<Record<string, ReadonlyMap<string, Quantity>>>;

function validateOrder(name: string, amounts: Amounts, path: string, errors: FieldErrors): void {
  const of = (key: string): Quantity | undefined => amounts[key]?.get(name);
  const rules = [
    ["min", "min", "min", "max", "min value", "max value"],
    ["defaultRequest", "defaultRequest", "min", "defaultRequest", "min value", "default request value"],
    ["defaultRequest", "defaultRequest", "defaultRequest", "max", "default request value", "max value"],
    [
      "defaultRequest",
      "defaultRequest",
      "defaultRequest",
      "default",
      "default request value",
      "default limit value",
    ],
    ["default", "min", "min", "default", "min value", "default value"],
    ["default", "max", "default", "max", "default value", "max value"],
  ] as const;
  for (const [field, reported, smaller, larger, smallerName, largerName] of rules) {
    const low = of(smaller);
    const high = of(larger);
    if (low === undefined || high === undefined || low.compare(high) <= 0) continue;
    errors.invalid(
      `${path}.${field}[${name}]`,
      of(reported)?.toString() ?? "",
      `${smallerName} ${low.toString()} is greater than ${largerName} ${high.toString()}`,
    );
  }
  const ratio = of("maxLimitRequestRatio");
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  if (ratio !== undefined && ratio.toNumber() < 1)
    errors.invalid(at, ratio.toString(), `ratio ${ratio.toString()} is less than 1`);
  const [low, high] = [of("min"), of("max")];
  if (ratio !== undefined && low !== undefined && high !== undefined) {
    const limit = high.toNumber() / low.toNumber();
    if (ratio.toNumber() > limit)
      errors.invalid(
        at,
        ratio.toString(),
        `ratio ${ratio.toString()} is greater than max/min = ${limit.toFixed(6)}`,
      );
  }
  const [usual, asked] = [of("default"), of("defaultRequest")];
  if (isOvercommitAllowed(name) || usual === undefined || asked === undefined) return;
  if (usual.compare(asked) !== 0)
    errors.invalid(
      `${path}.defaultRequest[${name}]`,
      asked.toString(),
      `default value ${usual.toString()} must equal to defaultRequest value ${asked.toString()} in ${name}`,
    );
}

/** One that nobody has named is named as it is known anyway. */
function prepareForCreate({ metadata }: Draft): void {
  if (text(metadata, "name") === "") metadata["name"] = text(metadata, "uid");
}

export const limitRangeKinds = [
  defineKind(resources.limitRanges, { setDefaults, prepareForCreate, validate }),
];
