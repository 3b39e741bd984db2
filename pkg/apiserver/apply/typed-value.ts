import { setKey } from "../../api/patch/json.ts";
import { done, STEP, type Steps } from "../../api/steps.ts";
import type { FieldSchema, ListSchema, MapSchema } from "./field-schema.ts";
import type { PathElement } from "./path-element.ts";
import { keyElement, valueElement } from "./path-element.ts";

export type JsonObject = Readonly<Record<string, unknown>>;
export type JsonList = readonly unknown[];

/** How a value of a schema is to be taken: as one, or by its parts. */
export type Shape =
  | { readonly kind: "leaf" }
  | { readonly kind: "map"; readonly schema: MapSchema }
  | { readonly kind: "list"; readonly schema: ListSchema };

const leaf: Shape = { kind: "leaf" };
const deduced: FieldSchema = { kind: "deduced" };

/** Maps by field, whatever is in them. */
const deducedMap: MapSchema = {
  kind: "map",
  atomic: false,
  field: () => undefined,
  element: () => deduced,
};

/** The shape of a value, or of two that are compared: what is absent or null takes the other's. */
export function shapeOf(schema: FieldSchema, a: unknown, b?: unknown): Shape {
  if (schema.kind === "deduced") return isObject(a ?? b) && fits(b, isObject) ? mapShape : leaf;
  if (schema.kind === "map" && !schema.atomic && fits(a, isObject) && fits(b, isObject)) {
    return { kind: "map", schema };
  }
  if (schema.kind === "list" && schema.listType !== "atomic" && fits(a, isList) && fits(b, isList)) {
    return { kind: "list", schema };
  }
  return leaf;
}

const mapShape: Shape = { kind: "map", schema: deducedMap };

function fits(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

/** The schema of a key of a map. Where the type knows no such key, nothing is known of it. */
export function schemaOfKey(schema: MapSchema, key: string): FieldSchema {
  return schema.field(key) ?? schema.element() ?? deduced;
}

export class TypedValueError extends Error {
  readonly code = "TypedValue";
}

/** What tells an item of a list from the others; throws a TypedValueError for items that cannot be in such a list. */
export function itemElement(schema: ListSchema, item: unknown): PathElement {
  if (schema.listType === "set") {
    if (isObject(item)) {
      throw new TypedValueError("associative list without keys has an element that's a map type");
    }
    if (isList(item)) throw new TypedValueError("not supported: associative list with lists as elements");
    if (item === null) {
      throw new TypedValueError("associative list without keys has an element that's an explicit null");
    }
    return valueElement(item);
  }
  if (item === null) throw new TypedValueError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new TypedValueError("associative list with keys may not have non-map elements");
  const keys: Record<string, unknown> = {};
  for (const name of schema.keys) {
    const value = ownValue(item, name) ?? schema.keyDefaults[name];
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length === 0) {
    throw new TypedValueError(
      `associative list with keys has an element that omits all key fields ${JSON.stringify(schema.keys)} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/** The items of a list by what tells them from the others. */
export function* groupItems(
  schema: ListSchema,
  list: unknown,
): Steps<ReadonlyMap<PathElement, readonly unknown[]>> {
  const groups = new Map<PathElement, unknown[]>();
  for (const [index, item] of (isList(list) ? list : []).entries()) {
    if (index % STEP === STEP - 1) yield;
    const element = itemElement(schema, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** As `complete`, for what is an object whatever its schema is. */
export function completeObject(schema: FieldSchema, value: JsonObject): Steps<JsonObject> {
  const shape = shapeOf(schema, value);
  return shape.kind === "map" ? completeMap(shape.schema, value) : done(value);
}

/** The value with everything that its type implies, see MapSchema.implied: itself where there is nothing to add. */
export function complete(schema: FieldSchema, value: unknown): Steps<unknown> {
  const shape = shapeOf(schema, value);
  if (shape.kind === "list") return isList(value) ? completeList(shape.schema, value) : done(value);
  return shape.kind === "map" && isObject(value) ? completeMap(shape.schema, value) : done(value);
}

function* completeList(schema: ListSchema, list: JsonList): Steps<JsonList> {
  let whole: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    if (index % STEP === STEP - 1) yield;
    const completed = isLeaf(item) ? item : yield* complete(schema.items(), item);
    if (whole === undefined && completed !== item) whole = list.slice(0, index);
    whole?.push(completed);
  }
  return whole ?? list;
}

function* completeMap(schema: MapSchema, value: JsonObject): Steps<JsonObject> {
  let count = 0;
  let whole: Record<string, unknown> | undefined;
  if (!hasAll(value, schema.implied?.())) {
    whole = { ...schema.implied?.() };
    for (const key of Object.keys(value)) {
      if (++count % STEP === 0) yield;
      const part = value[key];
      if (part !== undefined) setKey(whole, key, part);
    }
  }
  for (const key of Object.keys(whole ?? value)) {
    if (++count % STEP === 0) yield;
    const part = (whole ?? value)[key];
    if (isLeaf(part)) continue;
    const completed = yield* complete(schemaOfKey(schema, key), part);
    if (completed === part) continue;
    whole ??= { ...value };
    setKey(whole, key, completed);
  }
  return whole ?? value;
}

/** Whether nothing is missing that is implied, and nothing there that is as good as missing. */
function hasAll(value: JsonObject, implied: JsonObject = {}): boolean {
  for (const key in implied) if (!Object.hasOwn(value, key)) return false;
  for (const key in value) if (value[key] === undefined) return false;
  return true;
}

/** Neither an object nor a list, so that there is nothing to walk through. */
export function isLeaf(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is JsonList {
  return Array.isArray(value);
}

/** Absent, null and empty have no parts, so that a value that becomes one of them is a change as a whole. */
export function hasParts(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function keysOf(a: unknown, b: unknown): readonly string[] {
  const keys = isObject(a) ? Object.keys(a) : [];
  if (!isObject(b)) return keys;
  if (!isObject(a) || keys.length === 0) return Object.keys(b);
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) keys.push(key);
  return keys;
}
