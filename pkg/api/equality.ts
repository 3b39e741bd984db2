import { isWrittenQuantity, parseQuantity } from "./quantity-parse.ts";
import type { Definition, Field, FieldType } from "./schema.ts";
import { definition } from "./schema.ts";

/**
 * Do two values mean the same to the API? Nothing (absent, undefined, null), the empty list and the empty map are one.
 *
 * JSON does not tell what a string stands for, so quantities ("1000m" and "1") and times are compared by value only
 * when the schema is known: pass the name of the definition ("core.v1.PodSpec"). The schema then also tells apart what
 * looks alike without it: `selector: {}` selects everything where no selector selects nothing, `emptyDir: {}` is a
 * volume, while `resources: {}` is no resources at all. Fields that the schema does not know, which a newer API server
 * may have, are not compared: Go programs of this version do not see them, and must not be at odds with us about what
 * is the same.
 */
export function semanticEqual(a: unknown, b: unknown, definitionName?: string): boolean {
  if (definitionName === undefined) return plainEqual(a, b);
  return objectsEqual(definition(definitionName), a, b);
}

function plainEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) return listsEqual(a, b, plainEqual);
  return isMap(a) && isMap(b) && plainMapsEqual(a, b);
}

/** Each update that wakes somebody asks for it: no lists of keys are made. */
function plainMapsEqual(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key in a) if (!plainEqual(a[key], b[key])) return false;
  for (const key in b) if (!Object.hasOwn(a, key) && !isNothing(b[key])) return false;
  return true;
}

function objectsEqual(type: Definition, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isMap(a) || !isMap(b)) return isAbsent(a) && isAbsent(b);
  return keysOf(a, b).every((key) => {
    const field = type.fields.get(key);
    return field === undefined || fieldsEqual(field, a[key], b[key]);
  });
}

/** A field whose Go type has no nil (its schema's default is a zero value) holds that value when it is left out. */
function fieldsEqual(field: Field, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const zero = isZero(field.default) ? field.default : undefined;
  return valuesEqual(field.type, a ?? zero, b ?? zero);
}

function valuesEqual(type: FieldType, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (type.kind === "ref") return objectsEqual(definition(type.definition), a, b);
  if (type.kind === "list") {
    return listsEqual(a ?? [], b ?? [], (one, other) => valuesEqual(type.items, one, other));
  }
  if (type.kind === "map") {
    return mapsEqual(a ?? {}, b ?? {}, (one, other) => valuesEqual(type.values, one, other));
  }
  if (type.kind === "quantity") return quantitiesEqual(a, b);
  if (type.kind === "time" || type.kind === "microTime") return timesEqual(a, b);
  return plainEqual(a, b);
}

function quantitiesEqual(a: unknown, b: unknown): boolean {
  if (!isWrittenQuantity(a) || !isWrittenQuantity(b)) return isAbsent(a) && isAbsent(b);
  return parseQuantity(a).equals(parseQuantity(b));
}

/** RFC 3339 allows offsets, and fractions finer than a Date. */
function timesEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "string" || typeof b !== "string") return isAbsent(a) && isAbsent(b);
  const [first, second] = [splitTime(a), splitTime(b)];
  return first.seconds === second.seconds && first.fraction === second.fraction;
}

function splitTime(text: string): { seconds: number; fraction: string } {
  const fraction = /\.([0-9]+)/.exec(text)?.[1] ?? "";
  return { seconds: Date.parse(text.replace(/\.[0-9]+/, "")), fraction: fraction.replace(/0+$/, "") };
}

type Equal = (a: unknown, b: unknown) => boolean;

function listsEqual(a: unknown, b: unknown, equal: Equal): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, index) => equal(item, b[index]));
}

/** Other than a field of an object, a key of a map counts even with nothing in it. */
function mapsEqual(a: unknown, b: unknown, equal: Equal): boolean {
  if (!isMap(a) || !isMap(b)) return false;
  return keysOf(a, b).every((key) => Object.hasOwn(a, key) && Object.hasOwn(b, key) && equal(a[key], b[key]));
}

function keysOf(a: object, b: object): readonly string[] {
  return [...Object.keys(a), ...Object.keys(b).filter((key) => !Object.hasOwn(a, key))];
}

function isNothing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isAbsent(value);
  for (const _ in value) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false || (isMap(value) && Object.keys(value).length === 0);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
