import { child, isJson, items, type Json } from "../../../api/json.ts";

/** The schemas directly within a schema, wherever they may stand. */
export function* subschemas(schema: Json): Generator<Json> {
  for (const field of ["not", "items", "additionalProperties", "additionalItems"]) {
    const value = schema[field];
    if (isJson(value)) yield value;
    else if (Array.isArray(value)) yield* value.filter(isJson);
  }
  for (const field of ["allOf", "anyOf", "oneOf"]) yield* items(schema, field);
  for (const field of ["properties", "patternProperties", "definitions", "dependencies"])
    yield* Object.values(child(schema, field) ?? {}).filter(isJson);
}

/** Whether it holds for the schema or for one within it, however deep. */
export function someSchema(root: Json | undefined, holds: (schema: Json) => boolean): boolean {
  const open = root === undefined ? [] : [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (holds(schema)) return true;
    for (const next of subschemas(schema)) open.push(next);
  }
  return false;
}
