import { semanticEqual } from "../../api/equality.ts";
import type { ApiObject } from "../../api/object.ts";
import { parseJson } from "../../api/wire-json.ts";

/**
 * What a manager owns of an object, as metadata.managedFields has it: "f:name" is a field, "k:{…}" the item of a list
 * with these keys, "v:…" a value of a set, "i:0" an item by its place. Nothing below a step: the value as a whole.
 */
export interface OwnedFields {
  readonly [step: string]: OwnedFields;
}

type Fields = Readonly<Record<string, unknown>>;

/** What the manager has applied of the object itself; undefined: nothing yet. */
export function appliedFields(
  { metadata: { managedFields } }: ApiObject,
  manager: string,
): OwnedFields | undefined {
  const entry = managedFields?.find(
    (each) => each.manager === manager && each.operation === "Apply" && !each.subresource,
  );
  return entry?.fieldsV1 as OwnedFields | undefined;
}

/** The values of these fields, in one order, as a text to be compared with another. */
export function textOf(value: unknown, owned: OwnedFields): string {
  return JSON.stringify(pick(value, owned)) ?? "";
}

function pick(value: unknown, owned: OwnedFields): unknown {
  const steps = Object.keys(owned).filter((step) => step !== ".");
  if (steps.length === 0) return "." in owned ? value !== undefined : ordered(value);
  return steps.map((step) => pick(stepInto(value, step), owned[step] ?? {}));
}

/** The order of fields is the server's affair, and says nothing. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  const fields = value as Fields;
  return Object.keys(fields)
    .toSorted()
    .map((key) => [key, ordered(fields[key])]);
}

function stepInto(value: unknown, step: string): unknown {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return isFields(value) ? value[rest] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith("i:")) return value[Number(rest)];
  const wanted = parseJson(rest);
  if (step.startsWith("v:")) return value.find((item) => semanticEqual(item, wanted));
  return value.find((item) => hasKeys(item, wanted));
}

/** A key that is left out has its default, which only the server knows. */
function hasKeys(item: unknown, keys: unknown): boolean {
  if (!isFields(item) || !isFields(keys)) return false;
  return Object.entries(keys).every(([key, value]) => item[key] === undefined || item[key] === value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether applying `desired` would change neither the object nor what the manager owns of it, as far as can be told. */
export function isApplied(desired: ApiObject, live: ApiObject, owned: OwnedFields): boolean {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = desired;
  const { name: _name, namespace: _namespace, ...meta } = metadata;
  const wanted = { ...rest, ...(Object.keys(meta).length > 0 && { metadata: meta }) };
  return isHeld(wanted, live, owned) && wantsAll(wanted, owned);
}

/** Every value that is wanted is there, and is the manager's. */
function isHeld(wanted: unknown, live: unknown, owned: OwnedFields): boolean {
  const steps = Object.keys(owned);
  if (steps.length === 0) return semanticEqual(wanted, live);
  if (steps.every((step) => step === ".")) return live !== undefined && semanticEqual(wanted, {});
  if (isFields(wanted)) {
    return Object.entries(wanted).every(([field, value]) => {
      if (value === undefined) return true;
      const below = owned[`f:${field}`];
      return below !== undefined && isHeld(value, stepInto(live, `f:${field}`), below);
    });
  }
  if (!Array.isArray(wanted)) return false;
  return wanted.every((item, index) => {
    const step = steps.find((each) => isStepTo(each, item, index));
    return step !== undefined && isHeld(item, stepInto(live, step), owned[step] ?? {});
  });
}

function isStepTo(step: string, item: unknown, index: number): boolean {
  if (step === ".") return false;
  if (step.startsWith("i:")) return Number(step.slice(2)) === index;
  return stepInto([item], step) !== undefined;
}

/** Nothing is the manager's that is not wanted any more. */
function wantsAll(wanted: unknown, owned: OwnedFields): boolean {
  return Object.entries(owned).every(([step, below]) => {
    if (step === ".") return true;
    const value = stepInto(wanted, step);
    return value !== undefined && wantsAll(value, below);
  });
}
