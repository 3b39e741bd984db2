import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { FieldPath, FieldSet } from "./field-set.ts";
import { FieldSetBuilder } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import type { JsonList } from "./typed-value.ts";
import { isList, isObject, itemElement, schemaOfKey, shapeOf } from "./typed-value.ts";

/** The paths that somebody who applies this value owns: its leaves, items, keys of maps, and empty objects. */
export function fieldsOf(schema: FieldSchema, value: unknown): FieldSet {
  const builder = new FieldSetBuilder();
  collect(builder, schema, value, []);
  return builder.build();
}

function collect(set: FieldSetBuilder, schema: FieldSchema, value: unknown, path: FieldPath): void {
  const shape = shapeOf(schema, value);
  if (shape.kind === "leaf") {
    set.insert(path);
  } else if (shape.kind === "list") {
    if (isList(value)) collectItems(set, shape.schema, value, path);
  } else if (isObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue;
      const below = [...path, fieldElement(key)];
      collect(set, schemaOfKey(shape.schema, key), part, below);
      const isBare = part === null || (isObject(part) && Object.keys(part).length === 0);
      if (isBare || shape.schema.field(key) === undefined) set.insert(below);
    }
  }
}

/** Of an item that occurs more than once, only the item as such can be owned. */
function collectItems(set: FieldSetBuilder, schema: ListSchema, list: JsonList, path: FieldPath): void {
  for (const [element, items] of Map.groupBy(list, (item) => itemElement(schema, item))) {
    const below = [...path, element];
    if (items.length === 1) collect(set, schema.items(), items[0], below);
    set.insert(below);
  }
}

/**
 * The set with every named field on the way to a member as a member itself. Fields of a type are there or not by what
 * is in them, other than keys of a map: only so do set operations take them along.
 */
export function withNamedFields(schema: FieldSchema | undefined, set: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldNameOf(element);
    const named = name !== undefined && schema?.kind === "map" && schema.field(name) !== undefined;
    const below = child.children.size === 0 ? child : withNamedFields(schemaBelow(schema, element), child);
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
