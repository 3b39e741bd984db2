import { isJson, type Json } from "../../api/json.ts";
import { elementSchema, type OpenApiSchema, propertySchema } from "../../cel/schemas/open-api-schema.ts";

const rootFields = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Takes out of an object what its schema does not name; returns the paths. Changes the object in place. The kind and
 * metadata of a root have rules of their own.
 */
export function pruneUnknown(root: Json, rootSchema: OpenApiSchema | undefined): readonly string[] {
  if (rootSchema === undefined) return [];
  const pruning = new Pruning();
  pruning.value(root, { ...rootSchema, "x-kubernetes-embedded-resource": true }, "");
  return pruning.unknown.toSorted();
}

/** The same of a value within an object. True when nothing was unknown. */
export function isPruned(value: unknown, schema: OpenApiSchema): boolean {
  const pruning = new Pruning();
  pruning.value(value, schema, "");
  return pruning.unknown.length === 0;
}

class Pruning {
  readonly unknown: string[] = [];

  /** Without a schema nothing is known. */
  value(
    value: unknown,
    schema: OpenApiSchema | undefined,
    path: string,
    keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true,
  ): void {
    if (isJson(value)) return this.#object(value, schema, path, keepsUnknown);
    if (!Array.isArray(value) || (keepsUnknown && schema?.items === undefined)) return;
    // Upstream keeps what is unknown in the items of a list that keeps it, too.
    for (const [index, item] of value.entries())
      if (typeof item === "object")
        this.value(item, schema?.items, `${path}[${index}]`, keepsUnknown || undefined);
  }

  #object(object: Json, schema: OpenApiSchema | undefined, path: string, keepsUnknown: boolean): void {
    const isResource = schema?.["x-kubernetes-embedded-resource"] === true;
    for (const key of Object.keys(object)) {
      if (isResource && rootFields.has(key)) continue;
      const property = schema === undefined ? undefined : propertySchema(schema, key);
      const isNamed = property !== undefined || schema?.additionalProperties !== undefined;
      const member = object[key];
      if (isNamed ? typeof member !== "object" : keepsUnknown) continue;
      const memberPath = path === "" ? key : `${path}.${key}`;
      if (isNamed) this.value(member, property ?? elementSchema(schema ?? {}), memberPath);
      else {
        this.unknown.push(memberPath);
        delete object[key];
      }
    }
  }
}

/** Takes out the nulls that the schema does not allow and has no default for: they mean absence. */
export function pruneNulls(value: unknown, schema: OpenApiSchema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, schema?.items);
    return;
  }
  if (!isJson(value) || schema === undefined) return;
  const element = elementSchema(schema);
  for (const key of Object.keys(value)) {
    const member = propertySchema(schema, key) ?? element;
    if (member === undefined) continue;
    if (value[key] === null && member.nullable !== true && member.default === undefined) delete value[key];
    else pruneNulls(value[key], member);
  }
}
