import { isJson, type Json } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import { elementSchema, type OpenApiSchema, somewhere } from "../../cel/schemas/open-api-schema.ts";

/** Puts the schema's defaults where the object says nothing. Changes the object in place; true when it did. */
export function applyDefaults(object: Json, schema: OpenApiSchema | undefined): boolean {
  return schema === undefined ? false : defaultObject(object, schema);
}

/** Whether `applyDefaults` would change the object: there is nothing to copy then, however large it is. */
export function lacksDefaults(value: unknown, schema: OpenApiSchema | undefined): boolean {
  if (schema === undefined || !hasDefaults(schema)) return false;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasDefaults(items)) return false;
    return value.some((item) => replacesNull(item, items) || lacksDefaults(item, items));
  }
  if (!isJson(value)) return false;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const member = value[key];
    const isMissing = member === undefined && property.default !== undefined;
    if (isMissing || replacesNull(member, property) || lacksDefaults(member, property)) return true;
  }
  const element = elementSchema(schema);
  if (element === undefined || !hasDefaults(element)) return false;
  return Object.keys(value).some((key) => {
    if (Object.hasOwn(schema.properties ?? {}, key)) return false;
    return replacesNull(value[key], element) || lacksDefaults(value[key], element);
  });
}

const hasDefaults = somewhere((schema) => schema.default !== undefined);

function defaultValue(value: unknown, schema: OpenApiSchema): boolean {
  let changed = false;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return false;
    for (const [index, item] of value.entries()) {
      if (replacesNull(item, items)) {
        value[index] = copyJson(items.default);
        changed = true;
      }
      changed = defaultValue(value[index], items) || changed;
    }
    return changed;
  }
  return isJson(value) ? defaultObject(value, schema) : false;
}

function defaultObject(object: Json, schema: OpenApiSchema): boolean {
  let changed = false;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (
      (object[key] === undefined && property.default !== undefined) ||
      replacesNull(object[key], property)
    ) {
      object[key] = copyJson(property.default);
      changed = true;
    } else if (object[key] === null && property.nullable !== true && property.default === undefined) continue;
    changed = defaultValue(object[key], property) || changed;
  }
  const element = elementSchema(schema);
  if (element === undefined) return changed;
  for (const key of Object.keys(object)) {
    if (Object.hasOwn(schema.properties ?? {}, key)) continue;
    if (replacesNull(object[key], element)) {
      object[key] = copyJson(element.default);
      changed = true;
    }
    changed = defaultValue(object[key], element) || changed;
  }
  return changed;
}

/** A null where none may be counts as absent when there is a default for it. */
function replacesNull(value: unknown, schema: OpenApiSchema): boolean {
  return value === null && schema.nullable !== true && schema.default !== undefined;
}
