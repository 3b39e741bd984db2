import type { Steps } from "../../api/steps.ts";
import { typeOf } from "../type-of.ts";
import { type FunctionOverload, overload, overloadInSteps } from "../declarations.ts";
import { add, compare, contains, equal } from "../operations.ts";
import { sameType } from "../types.ts";
import { ArrayList, Duration, EvaluationError, isList, type ListValue, Uint, type Value } from "../values.ts";
import { asInt, asList } from "./arguments.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
/** Names of types in the ids of overloads of the extension library. */
const longNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};

const zeros: readonly (readonly [type: string, zero: Value])[] = [
  ["int", 0n],
  ["uint", new Uint(0n)],
  ["double", 0],
  ["duration", new Duration(0n)],
];

function isSorted(list: ListValue): boolean {
  let previous: Value | undefined;
  for (const item of list) {
    if (previous !== undefined && compare(previous, item) > 0) return false;
    previous = item;
  }
  return true;
}

/** The first of those that are as far to one side as any. */
function extreme(list: ListValue, name: string, sign: 1 | -1): Value {
  let best: Value | undefined;
  for (const item of list) if (best === undefined || sign * compare(item, best) > 0) best = item;
  if (best === undefined) throw new EvaluationError(`${name} called on empty list`);
  return best;
}

const indexIn = (items: readonly Value[], item: Value): bigint =>
  BigInt(items.findIndex((each) => equal(each, item)));

const lastIndexIn = (items: readonly Value[], item: Value): bigint =>
  BigInt(items.findLastIndex((each) => equal(each, item)));

function slice(list: ListValue, start: bigint, end: bigint): ArrayList {
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new EvaluationError(`${what}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${what}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) throw new EvaluationError(`${what}, list is length ${list.size}`);
  return new ArrayList([...list].slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth: bigint): Value[] {
  if (depth < 0n) throw new EvaluationError("level must be non-negative");
  return [...list].flatMap((item) => (isList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

/** The elements in the order of their keys. */
function sortByKeys(list: ListValue, keys: ListValue): ArrayList {
  if (list.size !== keys.size)
    throw new EvaluationError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  const type = keys.size === 0 ? undefined : typeOf(keys.at(0));
  const pairs = [...keys].map((key, index) => {
    if (type !== undefined && !sameType(typeOf(key), type))
      throw new EvaluationError("list elements must have the same type");
    return { key, item: list.at(index) };
  });
  return new ArrayList(pairs.toSorted((a, b) => compare(a.key, b.key)).map(({ item }) => item));
}

function* distinct(list: ListValue): Steps<Value> {
  const unique: Value[] = [];
  for (const item of list) {
    if (!unique.some((each) => equal(each, item))) unique.push(item);
    yield;
  }
  return new ArrayList(unique);
}

/** As many as fit into memory: what counts is stopped by the limit of costs only afterwards. */
const longestRange = 1_000_000n;

function range(count: bigint): ArrayList {
  if (count > longestRange) throw new EvaluationError(`lists.range is limited to ${longestRange} elements`);
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

/** Whether one of the items is in the list, or is not. */
function* hasOne(items: ListValue, list: ListValue, isIn: boolean): Steps<boolean> {
  for (const item of items) {
    if (contains(item, list) === isIn) return true;
    yield;
  }
  return false;
}

function* containsAll(list: ListValue, part: ListValue): Steps<boolean> {
  return !(yield* hasOne(part, list, false));
}

export const listOverloads: readonly FunctionOverload[] = [
  ...comparable.flatMap((type) => [
    overload(`list_${type}_is_sorted_bool`, `(list(${type})).isSorted(): bool`, (list) =>
      isSorted(asList(list)),
    ),
    overload(`list_${type}_max_${type}`, `(list(${type})).max(): ${type}`, (list) =>
      extreme(asList(list), "max", 1),
    ),
    overload(`list_${type}_min_${type}`, `(list(${type})).min(): ${type}`, (list) =>
      extreme(asList(list), "min", -1),
    ),
    overload(`list_${longNames[type] ?? type}_sort`, `(list(${type})).sort(): list(${type})`, (list) =>
      sortByKeys(asList(list), asList(list)),
    ),
    overload(
      `list_${longNames[type] ?? type}_sortByAssociatedKeys`,
      `(list(A)).@sortByAssociatedKeys(list(${type})): list(A)`,
      (list, keys) => sortByKeys(asList(list), asList(keys)),
    ),
  ]),
  ...zeros.map(([type, zero]) =>
    overload(`list_${type}_sum_${type}`, `(list(${type})).sum(): ${type}`, (list) =>
      [...asList(list)].reduce((sum, item) => add(sum, item), zero),
    ),
  ),
  overload("list_a_index_of_int", "(list(A)).indexOf(A): int", (list, item = null) =>
    indexIn([...asList(list)], item),
  ),
  overload("list_a_last_index_of_int", "(list(A)).lastIndexOf(A): int", (list, item = null) =>
    lastIndexIn([...asList(list)], item),
  ),
  overload("list_slice", "(list(A)).slice(int, int): list(A)", (list, start, end) =>
    slice(asList(list), asInt(start), asInt(end)),
  ),
  overload(
    "list_flatten",
    "(list(list(A))).flatten(): list(A)",
    (list) => new ArrayList(flatten(asList(list), 1n)),
  ),
  overload(
    "list_flatten_int",
    "(list(dyn)).flatten(int): list(dyn)",
    (list, depth) => new ArrayList(flatten(asList(list), asInt(depth))),
  ),
  overload("lists_range", "lists.range(int): list(int)", (count) => range(asInt(count))),
  overload(
    "list_reverse",
    "(list(A)).reverse(): list(A)",
    (list) => new ArrayList([...asList(list)].toReversed()),
  ),
  overloadInSteps("list_distinct", "(list(A)).distinct(): list(A)", (list) => distinct(asList(list))),
  overloadInSteps("list_sets_contains_list", "sets.contains(list(A), list(A)): bool", (list, part) =>
    containsAll(asList(list), asList(part)),
  ),
  overloadInSteps("list_sets_equivalent_list", "sets.equivalent(list(A), list(A)): bool", function* (a, b) {
    return (yield* containsAll(asList(a), asList(b))) && (yield* containsAll(asList(b), asList(a)));
  }),
  overloadInSteps("list_sets_intersects_list", "sets.intersects(list(A), list(A)): bool", (a, b) =>
    hasOne(asList(a), asList(b), true),
  ),
];
