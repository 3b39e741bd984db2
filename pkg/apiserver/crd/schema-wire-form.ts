import { child, isJson, items, type Json } from "../../api/json.ts";
import { definition, type Definition } from "../../api/schema.ts";
import { checkBuiltInBody } from "../decode/check-body.ts";

/** Fields of a schema whose form is a schema or something plainer, which the published document calls anything. */
const looseFields = ["items", "additionalProperties", "additionalItems"] as const;

const schemaDefinition = (): Definition => definition("apiextensions.v1.JSONSchemaProps");

/**
 * Decodes the schemas within a definition that stand where something else may stand as well, as the fields around them
 * have been decoded: what they do not know is taken out. Returns what does not fit its type.
 */
export function checkLooseSchemas(root: Json): string | undefined {
  let problem: string | undefined;
  for (const { parent, field, value } of looseValues(root)) {
    if (isJson(value)) {
      // A schema behind a decoder of its own: it says nothing of unknown fields.
      problem ??= checkBuiltInBody(value, schemaDefinition()).problem;
    } else if (field === "items") {
      if (!Array.isArray(value)) delete parent[field];
    } else if (typeof value !== "boolean" && !(field === "dependencies" && Array.isArray(value))) {
      problem ??= "boolean or JSON schema expected";
    }
  }
  return problem;
}

interface LooseValue {
  readonly parent: Json;
  readonly field: string;
  readonly value: unknown;
}

/** Those that contain others come first. */
function* looseValues(root: Json): Generator<LooseValue> {
  const open = items(child(root, "spec"), "versions").flatMap((version) => {
    const schema = child(child(version, "schema"), "openAPIV3Schema");
    return schema === undefined ? [] : [schema];
  });
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    for (const field of looseFields) {
      const value = schema[field];
      if (value === undefined || value === null) continue;
      const members = field === "items" && Array.isArray(value) ? value : [value];
      for (const member of members) {
        yield { parent: schema, field, value: member };
        if (isJson(member)) open.push(member);
      }
    }
    const dependencies = child(schema, "dependencies") ?? {};
    for (const [, value] of Object.entries(dependencies)) {
      yield { parent: dependencies, field: "dependencies", value };
      if (isJson(value)) open.push(value);
    }
    for (const next of plainSubschemas(schema)) open.push(next);
  }
}

/** The schemas within a schema that are nothing else. */
function* plainSubschemas(schema: Json): Generator<Json> {
  for (const field of ["properties", "patternProperties", "definitions"])
    yield* Object.values(child(schema, field) ?? {}).filter(isJson);
  for (const field of ["allOf", "anyOf", "oneOf"]) yield* items(schema, field);
  const not = child(schema, "not");
  if (not !== undefined) yield not;
}
