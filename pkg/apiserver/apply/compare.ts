import { jsonEqual } from "../../api/patch/json.ts";
import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { FieldPath, FieldSet } from "./field-set.ts";
import { FieldSetBuilder } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";
import { fieldElement } from "./path-element.ts";
import {
  hasParts,
  isList,
  isObject,
  itemElement,
  keysOf,
  ownValue,
  schemaOfKey,
  shapeOf,
} from "./typed-value.ts";

/** What a write did to an object, as sets of paths. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Throws a TypedValueError when a list holds items that its type does not allow. */
export function compare(schema: FieldSchema, before: unknown, after: unknown): Comparison {
  const comparer = new Comparer();
  comparer.compare(schema, before, after, []);
  return comparer.result();
}

class Comparer {
  readonly #added = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();

  result(): Comparison {
    return {
      added: this.#added.build(),
      modified: this.#modified.build(),
      removed: this.#removed.build(),
    };
  }

  compare(schema: FieldSchema, before: unknown, after: unknown, path: FieldPath): void {
    const shape = shapeOf(schema, before, after);
    if (
      before !== undefined &&
      after !== undefined &&
      (shape.kind === "leaf" || !(hasParts(before) || hasParts(after)))
    ) {
      if (!jsonEqual(before, after)) this.#modified.insert(path);
      return;
    }
    if (shape.kind === "map") {
      for (const key of keysOf(before, after)) {
        const [one, other] = [partOf(before, key), partOf(after, key)];
        const below = schemaOfKey(shape.schema, key);
        if (one === undefined && other === undefined) continue;
        if (isObject(before) && isObject(after) && areNoTimes(below, one, other)) continue;
        this.compare(below, one, other, [...path, fieldElement(key)]);
      }
    } else if (shape.kind === "list") {
      this.#compareItems(shape.schema, before, after, path);
    }
    if (before === undefined) this.#added.insert(path);
    else if (after === undefined) this.#removed.insert(path);
  }

  /** An item that occurs more than once is compared as one with all its likes: nothing can be said of its parts. */
  #compareItems(schema: ListSchema, before: unknown, after: unknown, path: FieldPath): void {
    const [old, now] = [groupItems(schema, before), groupItems(schema, after)];
    for (const element of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(element) ?? [], now.get(element) ?? []];
      const below = [...path, element];
      if (was.length <= 1 && is.length <= 1) {
        this.compare(schema.items(), was[0], is[0], below);
      } else if (was.length > 1 && is.length > 1) {
        if (!jsonEqual(was, is)) this.#modified.insert(below);
      } else if (was.length > 1) {
        if (is.length === 1) this.compare(schema.items(), undefined, is[0], below);
        this.#removed.insert(below);
      } else {
        if (was.length === 1) this.compare(schema.items(), was[0], undefined, below);
        this.#added.insert(below);
      }
    }
  }
}

function groupItems(schema: ListSchema, list: unknown): ReadonlyMap<PathElement, readonly unknown[]> {
  return Map.groupBy(isList(list) ? list : [], (item) => itemElement(schema, item));
}

/** A time that is not set is written as null or left out, as the type in Go happens to be. */
function areNoTimes(schema: FieldSchema, one: unknown, other: unknown): boolean {
  return schema.kind === "scalar" && schema.type === "time" && (one ?? other ?? null) === null;
}

function partOf(value: unknown, key: string): unknown {
  return isObject(value) ? ownValue(value, key) : undefined;
}
