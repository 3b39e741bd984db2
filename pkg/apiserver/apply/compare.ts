import { jsonEqual } from "../../api/patch/json.ts";
import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { done, STEP, type Steps } from "../../api/steps.ts";
import { FieldSetBuilder, Spot } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import {
  groupItems,
  hasParts,
  isLeaf,
  isObject,
  keysOf,
  ownValue,
  schemaOfKey,
  type Shape,
  shapeOf,
} from "./typed-value.ts";

/** What a write did to an object, as sets of paths. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Throws a TypedValueError when a list holds items that its type does not allow. */
export function* compare(schema: FieldSchema, before: unknown, after: unknown): Steps<Comparison> {
  const builders = [new FieldSetBuilder(), new FieldSetBuilder(), new FieldSetBuilder()] as const;
  yield* compareAt(schema, before, after, Spot.root(...builders));
  const [added, modified, removed] = builders;
  return { added: yield* added.build(), modified: yield* modified.build(), removed: yield* removed.build() };
}

const ADDED = 0;
const MODIFIED = 1;
const REMOVED = 2;

function compareAt(schema: FieldSchema, before: unknown, after: unknown, spot: Spot): Steps<void> {
  const shape = shapeOf(schema, before, after);
  if (shape.kind !== "leaf" && (hasParts(before) || hasParts(after)))
    return compareParts(shape, before, after, spot);
  if (before === undefined) spot.insert(ADDED);
  else if (after === undefined) spot.insert(REMOVED);
  else if (!jsonEqual(before, after)) spot.insert(MODIFIED);
  return nothingLeft;
}

const nothingLeft = done(undefined);

function* compareParts(shape: Shape, before: unknown, after: unknown, spot: Spot): Steps<void> {
  if (shape.kind === "map") {
    let count = 0;
    for (const key of keysOf(before, after)) {
      if (++count % STEP === 0) yield;
      const [one, other] = [partOf(before, key), partOf(after, key)];
      const below = schemaOfKey(shape.schema, key);
      if (one === undefined && other === undefined) continue;
      if (isObject(before) && isObject(after) && areNoTimes(below, one, other)) continue;
      if (isLeaf(one) && isLeaf(other)) compareLeaves(one, other, spot, key);
      else yield* compareAt(below, one, other, spot.below(fieldElement(key)));
    }
  } else if (shape.kind === "list") {
    yield* compareItems(shape.schema, before, after, spot);
  }
  if (before === undefined) spot.insert(ADDED);
  else if (after === undefined) spot.insert(REMOVED);
}

/** An item that occurs more than once is compared as one with all its likes: nothing can be said of its parts. */
function* compareItems(schema: ListSchema, before: unknown, after: unknown, spot: Spot): Steps<void> {
  const old = yield* groupItems(schema, before);
  const now = yield* groupItems(schema, after);
  let count = 0;
  for (const element of new Set([...old.keys(), ...now.keys()])) {
    if (++count % STEP === 0) yield;
    const [was, is] = [old.get(element) ?? [], now.get(element) ?? []];
    const below = spot.below(element);
    if (was.length <= 1 && is.length <= 1) {
      yield* compareAt(schema.items(), was[0], is[0], below);
    } else if (was.length > 1 && is.length > 1) {
      if (!jsonEqual(was, is)) below.insert(MODIFIED);
    } else if (was.length > 1) {
      if (is.length === 1) yield* compareAt(schema.items(), undefined, is[0], below);
      below.insert(REMOVED);
    } else {
      if (was.length === 1) yield* compareAt(schema.items(), was[0], undefined, below);
      below.insert(ADDED);
    }
  }
}

/** As a walk of its own would find of a value without parts. */
function compareLeaves(before: unknown, after: unknown, spot: Spot, key: string): void {
  if (before === after) return;
  const set = before === undefined ? ADDED : after === undefined ? REMOVED : MODIFIED;
  spot.insertBelow(fieldElement(key), set);
}

/** A time that is not set is written as null or left out, as the type in Go happens to be. */
function areNoTimes(schema: FieldSchema, one: unknown, other: unknown): boolean {
  return schema.kind === "scalar" && schema.type === "time" && (one ?? other ?? null) === null;
}

function partOf(value: unknown, key: string): unknown {
  return isObject(value) ? ownValue(value, key) : undefined;
}
