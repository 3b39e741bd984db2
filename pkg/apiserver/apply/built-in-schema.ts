import type { Definition, Field, FieldType } from "../../api/schema.ts";
import { definition, definitionOf } from "../../api/schema.ts";
import { type GoField, goStruct } from "../../api/go-types.ts";
import type { FieldSchema, MapSchema, ScalarSchema } from "./field-schema.ts";

const scalarTypes: Readonly<Partial<Record<FieldType["kind"], NonNullable<ScalarSchema["type"]>>>> = {
  boolean: "boolean",
  bytes: "string",
  enum: "string",
  int32: "numeric",
  int64: "numeric",
  intOrString: "untyped",
  microTime: "time",
  number: "numeric",
  quantity: "untyped",
  string: "string",
  time: "time",
};
const schemas = new Map<string, MapSchema>();

/** The schema of a built-in kind; undefined when there is no such kind. */
export function builtInSchema(apiVersion: string, kind: string): FieldSchema | undefined {
  const type = definitionOf(apiVersion, kind);
  return type === undefined ? undefined : schemaOfDefinition(type, type.mapType === "atomic");
}

function schemaOfDefinition(type: Definition, atomic: boolean): MapSchema {
  const key = `${type.name} ${atomic}`;
  let schema = schemas.get(key);
  if (schema === undefined) {
    schema = makeSchema(type, atomic);
    schemas.set(key, schema);
  }
  return schema;
}

function makeSchema(type: Definition, atomic: boolean): MapSchema {
  const fields = new Map<string, FieldSchema>();
  const written = goStruct(type.name)?.fields;
  const implied = Object.fromEntries(
    [...type.fields.values()].flatMap((field) => impliedValue(field, written?.get(field.name))),
  );
  return {
    kind: "map",
    atomic,
    field(name) {
      let schema = fields.get(name);
      const field = type.fields.get(name);
      if (schema === undefined && field !== undefined) {
        schema = schemaOfField(field);
        fields.set(name, schema);
      }
      return schema;
    },
    element: () => undefined,
    implied: () => implied,
  };
}

/** A zero default stands for a type without nil; a field that is always written, but has none, is null. */
function impliedValue(field: Field, written: GoField | undefined): [name: string, value: unknown][] {
  const value = field.default;
  if (value === undefined) {
    const isNull = written === undefined ? field.required : written.unset === "null";
    return isNull ? [[field.name, null]] : [];
  }
  // What is left out when it is zero is not there then.
  if (written?.omitsEmpty === true && !isEmptyObject(value)) return [];
  const isZero = value === "" || value === 0 || value === false || isEmptyObject(value);
  return isZero ? [[field.name, value]] : [];
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function schemaOfField(field: Field): FieldSchema {
  const { type } = field;
  if (type.kind === "list") {
    const items = schemaOfType(type.items);
    return {
      kind: "list",
      listType: field.listType ?? "atomic",
      keys: field.listMapKeys,
      keyDefaults: keyDefaults(type.items, field.listMapKeys),
      items: () => items,
    };
  }
  return schemaOfType(type, field.mapType);
}

function schemaOfType(type: FieldType, mapType?: "atomic" | "granular"): FieldSchema {
  if (type.kind === "ref") {
    const known = definition(type.definition);
    return schemaOfDefinition(known, (mapType ?? known.mapType) === "atomic");
  }
  if (type.kind === "map") {
    const element = schemaOfType(type.values);
    return { kind: "map", atomic: mapType === "atomic", field: () => undefined, element: () => element };
  }
  if (type.kind === "list") {
    const items = schemaOfType(type.items);
    return { kind: "list", listType: "atomic", keys: [], keyDefaults: {}, items: () => items };
  }
  const scalarType = scalarTypes[type.kind];
  return scalarType === undefined ? { kind: "scalar" } : { kind: "scalar", type: scalarType };
}

function keyDefaults(items: FieldType, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (items.kind !== "ref") return {};
  const { fields } = definition(items.definition);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = fields.get(key)?.default;
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
