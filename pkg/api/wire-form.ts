import { isWrittenQuantity, parseQuantity, QuantityError } from "./quantity-parse.ts";
import { definition, definitionOf, type Definition, type Field, type FieldType } from "./schema.ts";
import { isJson, type Json } from "./json.ts";
import { keptZeros, vanishingDefaults, writtenNulls } from "./wire-facts.ts";

/**
 * Gives an object the form in which the API server writes it: no unknown fields, no nulls and empty optional values,
 * required fields at their zero value, quantities and times in canonical spelling. A value of the wrong type stays as
 * it is; whoever decodes requests reports it.
 */
export function normalizeWireForm(object: Json, apiVersion: string, kind: string): void {
  const root = definitionOf(apiVersion, kind);
  if (root !== undefined) normalizeFields(object, root);
}

interface Shape {
  readonly fields: readonly (readonly [Field, FieldFacts])[];
  readonly known: ReadonlySet<string>;
}

interface FieldFacts {
  readonly keepsZero: boolean;
  readonly null: boolean;
}

const shapes = new Map<string, Shape>();

function shapeOf(owner: Definition): Shape {
  const existing = shapes.get(owner.name);
  if (existing !== undefined) return existing;
  const kept = new Set((keptZeros[owner.name] ?? "").split(" "));
  const nulls = new Set((writtenNulls[owner.name] ?? "").split(" "));
  const fields = [...owner.fields.values()].map((field): readonly [Field, FieldFacts] => [
    field,
    {
      // A default without omission on the wire, but for the one that is a real default and a zero at once.
      keepsZero:
        kept.has(field.name) ||
        (field.default !== undefined && !vanishingDefaults.has(`${owner.name}.${field.name}`)),
      null: nulls.has(field.name),
    },
  ]);
  const shape = { fields, known: new Set(owner.fields.keys()) };
  shapes.set(owner.name, shape);
  return shape;
}

/** As normalizeWireForm, of a part of an object. */
export function normalizeFields(object: Json, owner: Definition): void {
  const shape = shapeOf(owner);
  for (const key of Object.keys(object)) if (!shape.known.has(key)) delete object[key];
  for (const [field, facts] of shape.fields) normalizeField(object, field, facts);
}

function normalizeField(object: Json, field: Field, facts: FieldFacts): void {
  const given = object[field.name];
  const value = given === undefined || given === null ? undefined : normalizeValue(given, field.type);
  if (value !== undefined && (facts.keepsZero || !vanishes(value, field.type))) {
    object[field.name] = value;
  } else if (facts.null) {
    object[field.name] = null;
  } else if (field.default === undefined || !facts.keepsZero) {
    delete object[field.name];
  } else {
    const filled: unknown = isJson(field.default) ? {} : field.default;
    object[field.name] = normalizeValue(filled, field.type);
  }
}

/** Optional values that are not written. An empty object stays: whether it is there can matter (`emptyDir: {}`). */
function vanishes(value: unknown, type: FieldType): boolean {
  if (type.kind === "list") return Array.isArray(value) && value.length === 0;
  if (type.kind === "map") return isJson(value) && Object.keys(value).length === 0;
  // A count or percentage is always behind a pointer where zero means something: maxSurge.
  if (type.kind === "intOrString") return false;
  return value === "" || value === 0 || value === false;
}

function normalizeValue(value: unknown, type: FieldType): unknown {
  if (type.kind === "list") {
    return Array.isArray(value) ? value.map((item) => normalizeValue(item, type.items)) : value;
  }
  if (type.kind === "map") {
    if (isJson(value)) normalizeMap(value, type.values);
    return value;
  }
  if (type.kind === "ref") {
    if (isJson(value)) normalizeFields(value, definition(type.definition));
    return value;
  }
  if (type.kind === "quantity") return canonicalQuantity(value, -9);
  if (typeof value !== "string") return value;
  if (type.kind === "time") return canonicalTime(value, 0);
  return type.kind === "microTime" ? canonicalTime(value, 6) : value;
}

function normalizeMap(map: Json, type: FieldType): void {
  const isResourceList = type.kind === "quantity";
  for (const [key, item] of Object.entries(map)) {
    map[key] = isResourceList ? canonicalQuantity(item, -3) : normalizeValue(item, type);
  }
}

/** Amounts in resource lists are kept to thousandths. */
function canonicalQuantity(value: unknown, exponent: number): unknown {
  if (!isWrittenQuantity(value)) return value;
  try {
    return parseQuantity(value).roundUp(exponent).toString();
  } catch (error) {
    if (error instanceof QuantityError) return value;
    throw error;
  }
}

/** RFC 3339 in UTC with a fixed number of fractional digits; what cannot be read stays. */
function canonicalTime(value: string, digits: number): string {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i.exec(value);
  if (match === null) return value;
  const [, base = "", fraction = "", zone = "Z"] = match;
  const utc = zone === "Z" ? base : new Date(`${base}${zone}`).toISOString().slice(0, 19);
  return digits === 0 ? `${utc}Z` : `${utc}.${fraction.padEnd(digits, "0").slice(0, digits)}Z`;
}
