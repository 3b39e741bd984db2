import { isJson, type Json } from "../../api/json.ts";
import { isList } from "../../api/patch/json.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import { parseJson } from "../../api/wire-json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import type { FieldError } from "../kinds/kind.ts";
import { canonical, identityOf, itemIdentity, itemName } from "./checks.ts";
import {
  elementSchema,
  type OpenApiSchema,
  propertySchema,
  somewhere,
} from "../../cel/schemas/open-api-schema.ts";

/** What occurs twice in lists that are sets, or maps by some of their items' fields. */
export function* duplicatesInLists(
  object: Json,
  schema: OpenApiSchema | undefined,
): Steps<readonly FieldError[]> {
  const errors = new FieldErrors();
  if (schema !== undefined) yield* visit(object, schema, "", errors);
  return errors.list;
}

const hasNames = (schema: OpenApiSchema): boolean =>
  schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-list-type"] === "map";
const namesSomewhere = somewhere(hasNames);

function* visit(value: unknown, schema: OpenApiSchema, path: string, errors: FieldErrors): Steps<void> {
  if (!namesSomewhere(schema)) return;
  if (isJson(value)) {
    yield* visitObject(value, schema, path, errors);
    return;
  }
  if (!isList(value)) return;
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") yield* reportTwice(value, { identify: identityOf, name: asItIs }, path, errors);
  if (listType === "map") yield* checkMapList(value, schema, path, errors);
  const { items } = schema;
  if (items === undefined || !namesSomewhere(items)) return;
  for (const [index, item] of value.entries()) {
    if (index % STEP === STEP - 1) yield;
    yield* visit(item, items, `${path}[${index}]`, errors);
  }
}

function* visitObject(object: Json, schema: OpenApiSchema, path: string, errors: FieldErrors): Steps<void> {
  const element = elementSchema(schema);
  let count = 0;
  for (const key of Object.keys(object)) {
    if (++count % STEP === 0) yield;
    const value = object[key];
    const property = propertySchema(schema, key);
    if (property !== undefined) yield* visit(value, property, path === "" ? key : `${path}.${key}`, errors);
    else if (element !== undefined) yield* visit(value, element, `${path}[${key}]`, errors);
  }
}

function* checkMapList(
  list: readonly unknown[],
  schema: OpenApiSchema,
  path: string,
  errors: FieldErrors,
): Steps<void> {
  const stranger = list.findIndex((item) => item !== null && !isJson(item));
  if (stranger >= 0) {
    errors.invalid(`${path}[${stranger}]`, list[stranger], "must be an object for an array of list-type map");
    return;
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const identify = (item: unknown): unknown => itemIdentity(item, keys);
  yield* reportTwice(list, { identify, name: (item) => itemName(item, keys) }, path, errors);
}

interface Naming {
  readonly identify: (item: unknown) => unknown;
  /** What is told of the item. */
  readonly name: (item: unknown) => unknown;
}

const asItIs = (item: unknown): unknown => item;

/** Each value that is there more than once is reported where it comes for the second time. */
function* reportTwice(
  items: readonly unknown[],
  { identify, name }: Naming,
  path: string,
  errors: FieldErrors,
): Steps<void> {
  const once = new Set<unknown>();
  const reported = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    if (index % STEP === STEP - 1) yield;
    const identity = identify(item);
    if (!once.has(identity)) once.add(identity);
    else if (!reported.has(identity)) {
      reported.add(identity);
      errors.duplicate(`${path}[${index}]`, parseJson(canonical(name(item))));
    }
  }
}
