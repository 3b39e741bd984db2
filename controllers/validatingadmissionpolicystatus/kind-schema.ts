import { child, isJson, items, type Json, text } from "../../pkg/api/json.ts";
import type { OpenApiSchema } from "../../pkg/cel/schemas/open-api-schema.ts";
import type { GroupVersionKind } from "./matched-kinds.ts";

/** Where the document of a group and version is listed. */
export const pathOfVersion = ({ group, version }: GroupVersionKind): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

const PREFIX = "#/components/schemas/";

/** The schema of a kind, out of the OpenAPI v3 document of its version; undefined where that does not have it. */
export function schemaOfKind(document: Json, kind: GroupVersionKind): OpenApiSchema | undefined {
  const schemas = child(child(document, "components"), "schemas") ?? {};
  const found = Object.entries(schemas).find(([, schema]) => isJson(schema) && isOfKind(schema, kind));
  if (found === undefined) return undefined;
  const [name, schema] = found;
  return resolved(schema as Json, schemas, [name]);
}

function isOfKind(schema: Json, { group, version, kind }: GroupVersionKind): boolean {
  return items(schema, "x-kubernetes-group-version-kind").some(
    (one) => text(one, "group") === group && text(one, "version") === version && text(one, "kind") === kind,
  );
}

/** With what it refers to in the place of references. upstream: cel/openapi/resolver/refs.go#populateRefs */
function resolved(schema: Json, all: Json, within: readonly string[]): OpenApiSchema {
  const name = referenceIn(schema);
  if (name === undefined) return whole(schema, all, within);
  // What contains itself is an object of which nothing is known.
  if (within.includes(name)) return { type: "object" };
  const target = child(all, name);
  return target === undefined ? {} : whole(target, all, [...within, name]);
}

function whole(schema: Json, all: Json, within: readonly string[]): OpenApiSchema {
  const below = (part: Json): OpenApiSchema => resolved(part, all, within);
  const [properties, values, elements] = ["properties", "additionalProperties", "items"].map((key) =>
    child(schema, key),
  );
  return {
    ...(schema as OpenApiSchema),
    // Types of Go are told by their format.
    ...(text(schema, "format") === "int-or-string" ? { "x-kubernetes-int-or-string": true } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, part]) => [key, below(isJson(part) ? part : {})]),
          ),
        }),
    ...(values === undefined ? {} : { additionalProperties: below(values) }),
    ...(elements === undefined ? {} : { items: below(elements) }),
  };
}

/** References come wrapped, where there is a description beside them. */
function referenceIn(schema: Json): string | undefined {
  const reference = text(schema, "$ref");
  if (reference !== "") return reference.replace(PREFIX, "");
  for (const part of items(schema, "allOf")) {
    const inner = referenceIn(part);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
