import { isJson, type Json } from "../../api/json.ts";
import { parseJson } from "../../api/wire-json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import type { FieldError } from "../kinds/kind.ts";
import { canonical, identityOf } from "./checks.ts";
import { elementSchema, type OpenApiSchema, propertySchema, somewhere } from "./open-api-schema.ts";

/** What occurs twice in lists that are sets, or maps by some of their items' fields. */
export function duplicatesInLists(object: Json, schema: OpenApiSchema | undefined): readonly FieldError[] {
  const errors = new FieldErrors();
  if (schema !== undefined) visit(object, schema, "", errors);
  return errors.list;
}

const hasNames = (schema: OpenApiSchema): boolean =>
  schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-list-type"] === "map";
const namesSomewhere = somewhere(hasNames);

function visit(value: unknown, schema: OpenApiSchema, path: string, errors: FieldErrors): void {
  if (!namesSomewhere(schema)) return;
  if (isJson(value)) return visitObject(value, schema, path, errors);
  if (!Array.isArray(value)) return;
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") reportTwice(value, path, errors);
  if (listType === "map") checkMapList(value, schema, path, errors);
  const { items } = schema;
  if (items === undefined || !namesSomewhere(items)) return;
  for (const [index, item] of value.entries()) visit(item, items, `${path}[${index}]`, errors);
}

function visitObject(object: Json, schema: OpenApiSchema, path: string, errors: FieldErrors): void {
  const element = elementSchema(schema);
  for (const [key, value] of Object.entries(object)) {
    const property = propertySchema(schema, key);
    if (property !== undefined) visit(value, property, path === "" ? key : `${path}.${key}`, errors);
    else if (element !== undefined) visit(value, element, `${path}[${key}]`, errors);
  }
}

function checkMapList(
  list: readonly unknown[],
  schema: OpenApiSchema,
  path: string,
  errors: FieldErrors,
): void {
  const stranger = list.findIndex((item) => item !== null && !isJson(item));
  if (stranger >= 0) {
    errors.invalid(`${path}[${stranger}]`, list[stranger], "must be an object for an array of list-type map");
    return;
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const names = list.map((item) =>
    Object.fromEntries(
      keys.flatMap((key) => (isJson(item) && item[key] !== undefined ? [[key, item[key]]] : [])),
    ),
  );
  reportTwice(names, path, errors);
}

/** Each value that is there more than once is reported where it comes for the second time. */
function reportTwice(values: readonly unknown[], path: string, errors: FieldErrors): void {
  const identities = values.map(identityOf);
  if (new Set(identities).size === values.length) return;
  const times = new Map<unknown, number>();
  for (const [index, identity] of identities.entries()) {
    const count = times.get(identity) ?? 0;
    if (count === 1) errors.duplicate(`${path}[${index}]`, parseJson(canonical(values[index])));
    times.set(identity, count + 1);
  }
}
