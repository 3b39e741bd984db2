import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import type { FieldSchema, MapSchema } from "./field-schema.ts";

const scalar: FieldSchema = { kind: "scalar" };
const deduced: FieldSchema = { kind: "deduced" };

/**
 * The schema of a custom resource's objects. `objectMeta` is the built-in schema of metadata, which CRDs do not spell
 * out; without a schema everything is deduced.
 */
export function customResourceSchema(
  openApi: OpenApiSchema | undefined,
  objectMeta: FieldSchema,
): FieldSchema {
  const root = openApi === undefined ? undefined : schemaOf(openApi);
  const declared = root?.kind === "map" ? root : undefined;
  const named: Readonly<Record<string, FieldSchema>> = {
    apiVersion: scalar,
    kind: scalar,
    metadata: objectMeta,
  };
  return {
    kind: "map",
    atomic: false,
    field: (name) => (Object.hasOwn(named, name) ? named[name] : declared?.field(name)),
    element: () => (declared === undefined ? deduced : declared.element()),
  };
}

function schemaOf(openApi: OpenApiSchema): FieldSchema {
  if (openApi["x-kubernetes-int-or-string"] === true) return scalar;
  if (openApi.type === "array") return listOf(openApi);
  if (openApi.type === "object") return mapOf(openApi);
  return openApi.type === undefined && openApi["x-kubernetes-preserve-unknown-fields"] === true
    ? deduced
    : scalar;
}

function mapOf(openApi: OpenApiSchema): MapSchema {
  const { properties = {}, additionalProperties } = openApi;
  const fields = new Map<string, FieldSchema>();
  const isOpen =
    openApi["x-kubernetes-preserve-unknown-fields"] === true ||
    openApi["x-kubernetes-embedded-resource"] === true ||
    additionalProperties === true;
  const element =
    typeof additionalProperties === "object" ? schemaOf(additionalProperties) : isOpen ? deduced : undefined;
  return {
    kind: "map",
    atomic: openApi["x-kubernetes-map-type"] === "atomic",
    field(name) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property === undefined) return undefined;
      const schema = fields.get(name) ?? schemaOf(property);
      fields.set(name, schema);
      return schema;
    },
    element: () => element,
  };
}

function listOf(openApi: OpenApiSchema): FieldSchema {
  const items = openApi.items === undefined ? deduced : schemaOf(openApi.items);
  const keys = openApi["x-kubernetes-list-map-keys"] ?? [];
  const type = openApi["x-kubernetes-list-type"];
  return {
    kind: "list",
    listType: type === "set" || type === "map" ? type : "atomic",
    keys,
    keyDefaults: Object.fromEntries(
      keys.flatMap((key) => {
        const value = openApi.items?.properties?.[key]?.default;
        return value === undefined ? [] : [[key, value]];
      }),
    ),
    items: () => items,
  };
}
