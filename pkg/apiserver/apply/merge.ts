import { setKey } from "../../api/patch/json.ts";
import type { FieldSchema, ListSchema } from "./field-schema.ts";
import type { PathElement } from "./path-element.ts";
import type { JsonList } from "./typed-value.ts";
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

/** The live value with everything that the applied one says. A merge takes nothing away. */
export function mergeApplied(schema: FieldSchema, live: unknown, applied: unknown): unknown {
  const shape = shapeOf(schema, live, applied);
  if (shape.kind === "leaf" || !(hasParts(live) || hasParts(applied))) {
    return applied === undefined ? live : applied;
  }
  if (shape.kind === "list") {
    const list = mergeItems(shape.schema, isList(live) ? live : [], isList(applied) ? applied : []);
    return list.length > 0 ? list : undefined;
  }
  const merged: Record<string, unknown> = {};
  for (const key of keysOf(live, applied)) {
    const value = mergeApplied(schemaOfKey(shape.schema, key), partOf(live, key), partOf(applied, key));
    if (value !== undefined) setKey(merged, key, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/**
 * Items that are in both lists come in the order of the applied one; the live list's own items stay where they are
 * relative to them; new items follow the applied item that they stand behind.
 */
function mergeItems(schema: ListSchema, live: JsonList, applied: JsonList): JsonList {
  const old = live.map((item) => itemElement(schema, item));
  const now = applied.map((item) => itemElement(schema, item));
  const liveItems = new Map<PathElement, unknown>();
  // Items that occur twice are not merged with the applied one, but replaced by it.
  old.forEach((element, index) => liveItems.set(element, liveItems.has(element) ? undefined : live[index]));
  const appliedItems = new Map(now.map((element, index) => [element, applied[index]]));
  const shared = now.filter((element) => liveItems.has(element));
  const done = new Set<PathElement>();
  const merged: unknown[] = [];
  const take = (element: PathElement): void => {
    done.add(element);
    if (shared[0] === element) shared.shift();
    merged.push(mergeApplied(schema.items(), liveItems.get(element), appliedItems.get(element)));
  };

  let [left, right] = [0, 0];
  while (left < old.length || right < now.length) {
    const [ours, theirs] = [old[left], now[right]];
    if (ours !== undefined && ours === theirs) {
      take(ours);
      left++;
      right++;
    } else if (ours !== undefined && !appliedItems.has(ours)) {
      merged.push(live[left]);
      left++;
    } else if (ours !== undefined && (done.has(ours) || (theirs !== undefined && shared[0] !== ours))) {
      // Shared, but it has come already, or another shared item has to come first.
      left++;
    } else if (theirs !== undefined) {
      take(theirs);
      right++;
    }
  }
  return merged;
}

function partOf(value: unknown, key: string): unknown {
  return isObject(value) ? ownValue(value, key) : undefined;
}
