import { setKey } from "../../api/patch/json.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { PathElement } from "./path-element.ts";
import type { JsonList } from "./typed-value.ts";
import {
  hasParts,
  isLeaf,
  isList,
  isObject,
  itemElement,
  keysOf,
  ownValue,
  schemaOfKey,
  shapeOf,
} from "./typed-value.ts";

/** The live value with everything that the applied one says. A merge takes nothing away. */
export function* mergeApplied(schema: FieldSchema, live: unknown, applied: unknown): Steps<unknown> {
  const shape = shapeOf(schema, live, applied);
  if (shape.kind === "leaf" || !(hasParts(live) || hasParts(applied))) {
    return appliedOr(live, applied);
  }
  if (shape.kind === "list") {
    const list = yield* mergeItems(shape.schema, isList(live) ? live : [], isList(applied) ? applied : []);
    return list.length > 0 ? list : undefined;
  }
  const merged: Record<string, unknown> = {};
  let count = 0;
  for (const key of keysOf(live, applied)) {
    if (++count % STEP === 0) yield;
    const [one, other] = [partOf(live, key), partOf(applied, key)];
    const value =
      isLeaf(one) && isLeaf(other)
        ? appliedOr(one, other)
        : yield* mergeApplied(schemaOfKey(shape.schema, key), one, other);
    if (value !== undefined) setKey(merged, key, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/**
 * Items that are in both lists come in the order of the applied one; the live list's own items stay where they are
 * relative to them; new items follow the applied item that they stand behind.
 */
function* mergeItems(schema: ListSchema, live: JsonList, applied: JsonList): Steps<JsonList> {
  const old = yield* elementsOf(schema, live);
  const now = yield* elementsOf(schema, applied);
  const liveItems = new Map<PathElement, unknown>();
  // Items that occur twice are not merged with the applied one, but replaced by it.
  old.forEach((element, index) => liveItems.set(element, liveItems.has(element) ? undefined : live[index]));
  const appliedItems = new Map(now.map((element, index) => [element, applied[index]]));
  const shared = now.filter((element) => liveItems.has(element));
  let nextShared = 0;
  const done = new Set<PathElement>();
  const merged: unknown[] = [];
  const take = function* (element: PathElement): Steps<void> {
    done.add(element);
    if (shared[nextShared] === element) nextShared++;
    const [one, other] = [liveItems.get(element), appliedItems.get(element)];
    const isPlain = isLeaf(one) && isLeaf(other);
    merged.push(isPlain ? appliedOr(one, other) : yield* mergeApplied(schema.items(), one, other));
  };

  let [left, right] = [0, 0];
  while (left < old.length || right < now.length) {
    if ((left + right) % STEP === 0) yield;
    const [ours, theirs] = [old[left], now[right]];
    if (ours !== undefined && ours === theirs) {
      yield* take(ours);
      left++;
      right++;
    } else if (ours !== undefined && !appliedItems.has(ours)) {
      merged.push(live[left]);
      left++;
    } else if (
      ours !== undefined &&
      (done.has(ours) || (theirs !== undefined && shared[nextShared] !== ours))
    ) {
      // Shared, but it has come already, or another shared item has to come first.
      left++;
    } else if (theirs !== undefined) {
      yield* take(theirs);
      right++;
    }
  }
  return merged;
}

function appliedOr(live: unknown, applied: unknown): unknown {
  return applied === undefined ? live : applied;
}

function* elementsOf(schema: ListSchema, list: JsonList): Steps<readonly PathElement[]> {
  const elements: PathElement[] = [];
  for (const item of list) {
    elements.push(itemElement(schema, item));
    if (elements.length % STEP === 0) yield;
  }
  return elements;
}

function partOf(value: unknown, key: string): unknown {
  return isObject(value) ? ownValue(value, key) : undefined;
}
