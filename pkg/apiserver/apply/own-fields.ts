import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import { FieldSetBuilder, Spot } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import type { JsonList } from "./typed-value.ts";
import { groupItems, isLeaf, isList, isObject, schemaOfKey, shapeOf } from "./typed-value.ts";

/** The paths that somebody who applies this value owns: its leaves, items, keys of maps, and empty objects. */
export function* fieldsOf(schema: FieldSchema, value: unknown): Steps<FieldSet> {
  const builder = new FieldSetBuilder();
  yield* collect(schema, value, Spot.root(builder));
  return yield* builder.build();
}

function* collect(schema: FieldSchema, value: unknown, spot: Spot): Steps<void> {
  const shape = shapeOf(schema, value);
  if (shape.kind === "leaf") {
    spot.insert(0);
  } else if (shape.kind === "list") {
    if (isList(value)) yield* collectItems(shape.schema, value, spot);
  } else if (isObject(value)) {
    let count = 0;
    for (const key of Object.keys(value)) {
      if (++count % STEP === 0) yield;
      const part = value[key];
      if (part === undefined) continue;
      const below = spot.below(fieldElement(key));
      if (isLeaf(part) && part !== null) below.insert(0);
      else yield* collect(schemaOfKey(shape.schema, key), part, below);
      const isBare = part === null || (isObject(part) && Object.keys(part).length === 0);
      if (isBare || shape.schema.field(key) === undefined) below.insert(0);
    }
  }
}

/** Of an item that occurs more than once, only the item as such can be owned. */
function* collectItems(schema: ListSchema, list: JsonList, spot: Spot): Steps<void> {
  const groups = yield* groupItems(schema, list);
  let count = 0;
  for (const [element, items] of groups) {
    if (++count % STEP === 0) yield;
    const below = spot.below(element);
    if (items.length === 1) yield* collect(schema.items(), items[0], below);
    below.insert(0);
  }
}

/**
 * The set with every named field on the way to a member as a member itself. Fields of a type are there or not by what
 * is in them, other than keys of a map: only so do set operations take them along.
 */
export function* withNamedFields(schema: FieldSchema | undefined, set: FieldSet): Steps<FieldSet> {
  const children = new Map<PathElement, FieldSet>();
  let count = 0;
  for (const [element, child] of set.children) {
    if (++count % STEP === 0) yield;
    const name = fieldNameOf(element);
    const named = name !== undefined && schema?.kind === "map" && schema.field(name) !== undefined;
    const below =
      child.children.size === 0 ? child : yield* withNamedFields(schemaBelow(schema, element), child);
    children.set(element, named ? { member: true, children: below.children } : below);
  }
  return { member: set.member, children };
}

/** The type of the value at an element of a path, as far as it is known. */
export function schemaBelow(schema: FieldSchema | undefined, element: PathElement): FieldSchema | undefined {
  const name = fieldNameOf(element);
  if (schema?.kind === "map" && name !== undefined) return schema.field(name) ?? schema.element();
  return schema?.kind === "list" && element.startsWith("k:") ? schema.items() : undefined;
}
