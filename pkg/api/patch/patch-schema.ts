import type { Definition, Field, FieldType } from "../schema.ts";
import { definition, definitionOf } from "../schema.ts";

/** What strategic merge patches need to know of an object's fields. */
export interface PatchSchema {
  /** undefined: nothing is known of the field; objects in it merge, lists in it are replaced. */
  field(name: string): PatchField | undefined;
  /** A struct of Go's that has no field to look up, whatever the object there holds. */
  readonly opaque?: string;
}

export interface PatchField {
  /** Lists: merge by items, or else replace. Objects: merge unless replace is said. */
  readonly strategy: "merge" | "replace" | undefined;
  /** Objects: a patch lists the keys that may stay, so that one member of a union drives out another. */
  readonly retainKeys: boolean;
  /** What identifies an item of a merged list; "" for lists of scalars. */
  readonly mergeKey: string;
  /** The fields of the object, or of each item or value. */
  readonly schema: PatchSchema;
}

const noFields: PatchSchema = { field: () => undefined };
const rawExtension: PatchSchema = { field: () => undefined, opaque: "RawExtension" };
const schemas = new Map<string, PatchSchema>();

/** The schema of a built-in kind; undefined for kinds that do not take strategic merge patches. */
export function patchSchemaOf(apiVersion: string, kind: string): PatchSchema | undefined {
  const type = definitionOf(apiVersion, kind);
  return type === undefined ? undefined : schemaOfDefinition(type);
}

function schemaOfDefinition(type: Definition): PatchSchema {
  let schema = schemas.get(type.name);
  if (schema === undefined) {
    const fields = new Map<string, PatchField>();
    schema = {
      field(name) {
        let known = fields.get(name);
        const field = type.fields.get(name);
        if (known === undefined && field !== undefined) {
          known = patchField(field);
          fields.set(name, known);
        }
        return known;
      },
    };
    schemas.set(type.name, schema);
  }
  return schema;
}

function patchField(field: Field): PatchField {
  const strategies = field.patchStrategies;
  return {
    strategy: strategies.find((strategy) => strategy !== "retainKeys"),
    retainKeys: strategies.includes("retainKeys"),
    mergeKey: field.patchMergeKey ?? "",
    schema: schemaOfType(field.type),
  };
}

function schemaOfType(type: FieldType): PatchSchema {
  if (type.kind === "ref") return schemaOfDefinition(definition(type.definition));
  if (type.kind === "list") return schemaOfType(type.items);
  if (type.kind === "object") return rawExtension;
  return type.kind === "map" ? mapOf(schemaOfType(type.values)) : noFields;
}

/** Every key of a map has the same type, and merges. */
function mapOf(schema: PatchSchema): PatchSchema {
  if (schema === noFields) return noFields;
  const field: PatchField = { strategy: undefined, retainKeys: false, mergeKey: "", schema };
  return { field: () => field };
}
