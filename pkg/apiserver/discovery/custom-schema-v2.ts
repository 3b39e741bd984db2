import { elementSchema, type OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";

type Draft = { -readonly [Field in keyof OpenApiSchema]: OpenApiSchema[Field] };

/**
 * Without what OpenAPI 2 has no words for, and what kubectl would misread in it: it takes fields that are not named for
 * unknown ones, and no list without items.
 *
 * upstream: apiextensions-apiserver/pkg/controller/openapi/v2#ToStructuralOpenAPIV2
 */
export function schemaForV2(schema: OpenApiSchema): OpenApiSchema {
  const { nullable = false, type } = schema;
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const plain: Draft = { ...schema };
  for (const field of ["allOf", "anyOf", "oneOf", "not", "nullable"] as const) delete plain[field];
  if (nullable || keepsUnknown) {
    delete plain.items;
    delete plain.properties;
  }
  const { items, properties } = plain;
  if (nullable || (type === "array" && items === undefined) || (type === "object" && keepsUnknown))
    delete plain.type;
  if (items !== undefined) plain.items = schemaForV2(items);
  const fields = Object.entries(properties ?? {});
  if (properties !== undefined)
    plain.properties = Object.fromEntries(fields.map(([name, field]) => [name, schemaForV2(field)]));
  const element = elementSchema(schema);
  if (element !== undefined) plain.additionalProperties = schemaForV2(element);
  const nullables = new Set(fields.flatMap(([name, field]) => (field.nullable === true ? name : [])));
  const required =
    element?.nullable === true ? [] : (schema.required ?? []).filter((name) => !nullables.has(name));
  if (required.length > 0) plain.required = required;
  else delete plain.required;
  return plain;
}
