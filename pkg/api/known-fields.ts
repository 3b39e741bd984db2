import { definition, type Definition, type FieldType } from "./schema.ts";

/**
 * The object without fields that this version does not know. A newer API server has more of them; Go programs of this
 * version never see them, so that what is to be the same for both must be said without them.
 */
export function knownFields<T>(value: T, definitionName: string): T {
  return objectOf(definition(definitionName), value) as T;
}

function objectOf(type: Definition, value: unknown): unknown {
  if (!isMap(value)) return value;
  const known: Record<string, unknown> = {};
  for (const [key, inside] of Object.entries(value)) {
    const field = type.fields.get(key);
    if (field !== undefined) known[key] = valueOf(field.type, inside);
  }
  return known;
}

function valueOf(type: FieldType, value: unknown): unknown {
  if (type.kind === "ref") return objectOf(definition(type.definition), value);
  if (type.kind === "list")
    return Array.isArray(value) ? value.map((item) => valueOf(type.items, item)) : value;
  if (type.kind !== "map" || !isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, valueOf(type.values, inside)]),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
