import { type Definition, definition, type Field, type FieldType, openApiName } from "../../api/schema.ts";

/** OpenAPI 3 wraps a $ref that has siblings; OpenAPI 2 gives up the siblings. */
export type Dialect = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const scalarNames: Readonly<Record<string, string>> = {
  time: `${meta}.Time`,
  microTime: `${meta}.MicroTime`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
};

/** The scalars that documents refer to by name. */
export const scalarSchemas: Readonly<Record<string, object>> = {
  [`${meta}.Time`]: { type: "string", format: "date-time" },
  [`${meta}.MicroTime`]: { type: "string", format: "date-time" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
};

export const scalarSchemasV2: Readonly<Record<string, object>> = {
  ...scalarSchemas,
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "string", format: "int-or-string" },
};

export function refTo(name: string, dialect: Dialect): string {
  return dialect === "v3" ? `#/components/schemas/${name}` : `#/definitions/${name}`;
}

/** What there is to say of a schema and its fields; nothing where documents do without. */
export type Description = readonly [own: string, fields: Readonly<Record<string, string>>] | undefined;

export function definitionSchema(
  of: Definition,
  dialect: Dialect,
  description: Description,
): Record<string, unknown> {
  const fields = [...of.fields.values()];
  const [own = "", said = {}] = description ?? [];
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return {
    ...(own === "" ? {} : { description: own }),
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            fields.map((field) => [field.name, fieldSchema(field, dialect, said[field.name])]),
          ),
        }),
    ...(of.mapType === undefined ? {} : { "x-kubernetes-map-type": of.mapType }),
  };
}

function fieldSchema(field: Field, dialect: Dialect, description: string | undefined): object {
  const { patchStrategies, patchMergeKey, listType, listMapKeys, mapType } = field;
  const extras = {
    ...(description === undefined ? {} : { description }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(listType === undefined ? {} : { "x-kubernetes-list-type": listType }),
    ...(listMapKeys.length === 0 ? {} : { "x-kubernetes-list-map-keys": listMapKeys }),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
    ...(patchStrategies.length === 0 ? {} : { "x-kubernetes-patch-strategy": patchStrategies.join(",") }),
    ...(patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patchMergeKey }),
  };
  const schema = typeSchema(field.type, dialect);
  if (!("$ref" in schema)) return { ...schema, ...extras };
  if (dialect === "v2") return { ...schema, ...withoutDefault(extras) };
  return { allOf: [schema], ...extras };
}

function withoutDefault(extras: { readonly default?: unknown }): object {
  const { default: _, ...rest } = extras;
  return rest;
}

function typeSchema(type: FieldType, dialect: Dialect): object {
  switch (type.kind) {
    case "ref":
      return { $ref: refTo(openApiName(type.definition), dialect) };
    case "list":
      return { type: "array", items: typeSchema(type.items, dialect) };
    case "map":
      return { type: "object", additionalProperties: typeSchema(type.values, dialect) };
    case "enum":
      return { type: "string", enum: type.values };
    case "time":
    case "microTime":
    case "quantity":
    case "intOrString":
      return { $ref: refTo(scalarNames[type.kind] ?? "", dialect) };
    case "int32":
    case "int64":
      return { type: "integer", format: type.kind };
    case "number":
      return { type: "number", format: "double" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "boolean":
    case "string":
    case "object":
      return { type: type.kind };
    case "any":
    default:
      return {};
  }
}

/** The definitions that these need, themselves included, in order of discovery. */
export function closure(roots: readonly string[]): readonly string[] {
  const reached = new Set(roots);
  for (const name of reached) {
    for (const { type } of definition(name).fields.values()) {
      const below = referenced(type);
      if (below !== undefined) reached.add(below);
    }
  }
  return [...reached];
}

function referenced(type: FieldType): string | undefined {
  if (type.kind === "ref") return type.definition;
  if (type.kind === "list") return referenced(type.items);
  return type.kind === "map" ? referenced(type.values) : undefined;
}
