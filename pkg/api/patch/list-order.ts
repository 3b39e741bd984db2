import { goValue } from "../go-value.ts";
import type { JsonList, JsonObject } from "./json.ts";
import { isList, isObject, ownValue } from "./json.ts";
import { PatchError } from "./patch-error.ts";

/** What identifies an item of a merged list: the value of its merge key, or the item itself in a list of scalars. */
export function identityOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === "") return item;
  return isObject(item) ? ownValue(item, mergeKey) : undefined;
}

/** Where items stand in a list that may be long: of those that are alike, the first one counts. */
export class Positions {
  readonly #mergeKey: string;
  readonly #first = new Map<unknown, number>();

  constructor(list: JsonList, mergeKey: string) {
    this.#mergeKey = mergeKey;
    for (const [index, item] of list.entries()) this.add(item, index);
  }

  add(item: unknown, index: number): void {
    const identity = identityOf(item, this.#mergeKey);
    if (!this.#first.has(identity)) this.#first.set(identity, index);
  }

  /** -1 for one that is not there. */
  of(item: unknown): number {
    return this.#first.get(identityOf(item, this.#mergeKey)) ?? -1;
  }

  has(item: unknown): boolean {
    return this.#first.has(identityOf(item, this.#mergeKey));
  }
}

/**
 * The order of a merged list. Items that `patchOrder` names stand in its order, the others in the order that the server
 * had (`liveOrder`). Where the two meet, an item that the server had before a patched one stays before it: of a b c d
 * and the patch order c a comes b c a d.
 */
export function orderMerged(
  merged: JsonList,
  patchOrder: JsonList,
  liveOrder: JsonList,
  mergeKey: string,
): unknown[] {
  const patched = new Positions(patchOrder, mergeKey);
  const live = new Positions(liveOrder, mergeKey);
  const named = merged.filter((item) => patched.has(item));
  const others = merged.filter((item) => !patched.has(item));
  return interleave(sortLike(others, live), sortLike(named, patched), live);
}

/** Sorts stably by the places in `order`. */
export function sortLike(list: JsonList, order: Positions): unknown[] {
  return list
    .map((item) => ({ item, position: order.of(item) }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

function interleave(others: JsonList, named: JsonList, live: Positions): unknown[] {
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const end = live.of(item);
    while (next < others.length && isBetween(live.of(others[next]), 0, end)) {
      result.push(others[next]);
      next++;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function isBetween(value: number, start: number, end: number): boolean {
  return value >= start && value < end;
}

/** Merged lists hold objects or scalars, never both, and no lists. */
export function elementKind(lists: readonly JsonList[]): "object" | "scalar" {
  const items = lists.flatMap((list) => [...list]);
  if (items.some(isList)) throw new PatchError("Unprocessable", "lists of lists are not supported");
  const objects = items.filter(isObject).length;
  if (objects === 0) return "scalar";
  if (objects === items.length) return "object";
  throw new PatchError("Internal", `list element types are not identical: ${JSON.stringify(lists)}`);
}

/** What tells an element of a list from the others. */
export function requireKey(item: JsonObject, mergeKey: string): unknown {
  const identity = ownValue(item, mergeKey);
  if (identity !== undefined) return identity;
  throw new PatchError("Internal", `map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
}
