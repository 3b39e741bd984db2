import { setKey } from "../../api/patch/json.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { isEmptySet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import type { JsonList } from "./typed-value.ts";
import { hasParts, isList, isObject, itemElement, schemaOfKey, shapeOf } from "./typed-value.ts";

/**
 * The value without the fields and items of the set; undefined when nothing is left of it. A part that is emptied but
 * not itself in the set stays as null: it is not gone for those who own it.
 */
export function* removeFields(schema: FieldSchema, value: unknown, set: FieldSet): Steps<unknown> {
  const shape = shapeOf(schema, value);
  if (shape.kind === "leaf") return isObject(value) || isList(value) ? undefined : value;
  if (!hasParts(value)) return undefined;
  if (shape.kind === "list") return isList(value) ? yield* removeItems(shape.schema, value, set) : undefined;
  if (!isObject(value)) return undefined;
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const [key, part] of Object.entries(value)) {
    if (++count % STEP === 0) yield;
    const below = set.children.get(fieldElement(key));
    if (below?.member === true) continue;
    const rest =
      below === undefined || isEmptySet(below)
        ? part
        : yield* removeFields(schemaOfKey(shape.schema, key), part, below);
    setKey(kept, key, rest ?? null);
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function* removeItems(schema: ListSchema, list: JsonList, set: FieldSet): Steps<JsonList | undefined> {
  const kept: unknown[] = [];
  let count = 0;
  for (const item of list) {
    if (++count % STEP === 0) yield;
    const below = set.children.get(itemElement(schema, item));
    if (below?.member === true) continue;
    const isWhole = below === undefined || isEmptySet(below);
    const rest = isWhole ? item : yield* removeFields(schema.items(), item, below);
    if (rest !== undefined) kept.push(rest);
  }
  return kept.length > 0 ? kept : undefined;
}
