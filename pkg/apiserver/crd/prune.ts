import { isJson, type Json } from "../../api/json.ts";
import { elementSchema, type OpenApiSchema } from "./open-api-schema.ts";

const rootFields = new Set(["apiVersion", "kind", "metadata"]);

const none: ReadonlySet<string> = new Set();

/** Takes out of an object what its schema does not name; returns the paths. Changes the object in place. */
export function pruneUnknown(root: Json, rootSchema: OpenApiSchema | undefined): readonly string[] {
  if (rootSchema === undefined) return [];
  const unknown: string[] = [];

  const pruneValue = (value: unknown, schema: OpenApiSchema, path: string): void => {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return;
      for (const [index, item] of value.entries()) pruneValue(item, items, `${path}[${index}]`);
    } else if (isJson(value)) {
      const isResource = schema["x-kubernetes-embedded-resource"] === true;
      pruneObject(value, schema, path, isResource ? rootFields : none);
    }
  };

  const pruneObject = (
    object: Json,
    schema: OpenApiSchema,
    path: string,
    spared: ReadonlySet<string>,
  ): void => {
    const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
    const element = elementSchema(schema);
    const anyElement = schema.additionalProperties === true;
    for (const key of Object.keys(object)) {
      const memberPath = path === "" ? key : `${path}.${key}`;
      const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : element;
      if (property !== undefined) {
        // The root's own metadata is checked as ObjectMeta, whatever the schema says of it.
        if (path !== "" || !spared.has(key)) pruneValue(object[key], property, memberPath);
      } else if (!keepsUnknown && !anyElement && !spared.has(key)) {
        unknown.push(memberPath);
        delete object[key];
      }
    }
  };

  pruneObject(root, rootSchema, "", rootFields);
  return unknown;
}
