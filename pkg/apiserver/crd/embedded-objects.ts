import { isJson, type Json } from "../../api/json.ts";
import { dns1035LabelProblems } from "../../api/names.ts";
import { definition } from "../../api/schema.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { validateMetadata } from "../kinds/metadata.ts";
import type { Draft, FieldError } from "../kinds/kind.ts";
import { checkBuiltInBody } from "../decode/check-body.ts";
import {
  elementSchema,
  type OpenApiSchema,
  propertySchema,
  somewhere,
} from "../../cel/schemas/open-api-schema.ts";

/** An object within another one, which has a kind and metadata of its own. */
interface Embedded {
  readonly object: Json;
  readonly path: string;
}

const isResource = (schema: OpenApiSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;
const resourceSomewhere = somewhere(isResource);

/** The objects that the schema calls resources. The root is one of them if the schema says so. */
function embeddedObjects(
  value: unknown,
  schema: OpenApiSchema,
  path = "",
  found: Embedded[] = [],
): readonly Embedded[] {
  if (!resourceSomewhere(schema)) return found;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined && resourceSomewhere(items))
      for (const [index, item] of value.entries()) embeddedObjects(item, items, `${path}[${index}]`, found);
    return found;
  }
  if (!isJson(value)) return found;
  if (isResource(schema)) found.push({ object: value, path });
  const element = elementSchema(schema);
  for (const [key, member] of Object.entries(value)) {
    const property = propertySchema(schema, key);
    if (property !== undefined) embeddedObjects(member, property, joined(path, key), found);
    else if (element !== undefined) embeddedObjects(member, element, `${path}[${key}]`, found);
  }
  return found;
}

/**
 * Decodes the metadata of embedded objects: takes out what they do not know and returns the paths; `problem` is the
 * first value of a wrong type.
 */
export function coerceEmbedded(
  value: unknown,
  schema: OpenApiSchema,
): { readonly unknown: readonly string[]; readonly problem: FieldError | undefined } {
  const unknown: string[] = [];
  const errors = new FieldErrors();
  for (const { object, path } of embeddedObjects(value, schema)) {
    for (const field of ["apiVersion", "kind"])
      if (object[field] !== undefined && typeof object[field] !== "string")
        errors.invalid(joined(path, field), object[field], "must be a string");
    const metadata = object["metadata"];
    if (metadata === undefined) continue;
    const checked = isJson(metadata)
      ? checkBuiltInBody(metadata, definition("meta.v1.ObjectMeta"))
      : {
          unknown: [],
          problem: `json: cannot unmarshal ${typeName(metadata)} into Go value of type v1.ObjectMeta`,
        };
    if (checked.problem !== undefined) errors.invalid(joined(path, "metadata"), metadata, checked.problem);
    for (const field of checked.unknown) unknown.push(`${joined(path, "metadata")}.${field}`);
  }
  return { unknown, problem: errors.list[0] };
}

/** The rules of kinds and metadata, for embedded objects. */
export function validateEmbedded(value: unknown, schema: OpenApiSchema | undefined): readonly FieldError[] {
  if (schema === undefined) return [];
  const errors = new FieldErrors();
  for (const { object, path } of embeddedObjects(value, schema)) {
    validateApiVersion(object["apiVersion"], joined(path, "apiVersion"), errors);
    validateKind(object["kind"], joined(path, "kind"), errors);
    const metadata = object["metadata"];
    if (!isJson(metadata)) continue;
    for (const error of metadataErrors(metadata, joined(path, ""))) errors.list.push(error);
  }
  return errors.list;
}

function validateApiVersion(value: unknown, path: string, errors: FieldErrors): void {
  if (value === undefined) errors.required(path);
  else if (typeof value !== "string") errors.invalid(path, value, "must be a string");
  else if (value === "") errors.invalid(path, value, "must not be empty");
  else if (value.split("/").length > 2)
    errors.invalid(path, value, `unexpected GroupVersion string: ${value}`);
}

function validateKind(value: unknown, path: string, errors: FieldErrors): void {
  if (value === undefined) return errors.required(path);
  if (typeof value !== "string") return errors.invalid(path, value, "must be a string");
  if (value === "") return errors.invalid(path, value, "must not be empty");
  const problems = dns1035LabelProblems(value.toLowerCase());
  if (problems.length > 0)
    errors.invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`);
}

/** The name may be missing, and the object may be of a namespace or of none. */
function metadataErrors(metadata: Json, prefix: string): readonly FieldError[] {
  const name = metadata["name"] === undefined || metadata["name"] === "" ? "fakename" : metadata["name"];
  const draft: Draft = { metadata: { ...metadata, name } };
  const namespaced = typeof metadata["namespace"] === "string" && metadata["namespace"] !== "";
  // Any kind may be here: the rules are those of kinds that the server does not know.
  const resource = { group: "unknown.example", version: "", plural: "", kind: "", namespaced };
  return validateMetadata(draft, { resource, nameFormat: "pathSegment" }).map((error) => ({
    ...error,
    field: `${prefix}${error.field}`,
  }));
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
