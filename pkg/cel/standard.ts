// The functions and operators of the language itself.

import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from "./conversions.ts";
import { type FunctionOverload, type Implementation, overload } from "./declarations.ts";
import { matchesPattern } from "./library/regex.ts";
import { timeOverloads } from "./library/times.ts";
import {
  add,
  compare,
  contains,
  divide,
  equal,
  index,
  modulo,
  multiply,
  negate,
  noSuchOverload,
  sizeOf,
  subtract,
} from "./operations.ts";
import { typeOf } from "./type-of.ts";
import { TypeValue, type Value } from "./values.ts";

/** Names of types in the ids of overloads. */
const idNames: Readonly<Record<string, string>> = { int: "int64", uint: "uint64" };
const idName = (type: string): string => idNames[type] ?? type;

/** An operator on two values of one type each. */
function binary(
  operator: string,
  id: string,
  types: readonly string[],
  call: Implementation,
): FunctionOverload[] {
  return types.map((type) =>
    overload(`${id}_${idName(type)}`, `${operator}(${type}, ${type}): ${type}`, call),
  );
}

const ordered = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const numbers = ["int", "uint", "double"];

/** Numbers of different types can be compared, too. */
function comparison(operator: string, id: string, holds: (order: number) => boolean): FunctionOverload[] {
  const call: Implementation = (a = null, b = null) => holds(compare(a, b));
  return ordered.flatMap((type) => [
    overload(`${id}_${idName(type)}`, `${operator}(${type}, ${type}): bool`, call),
    ...(numbers.includes(type) ? numbers : [])
      .filter((other) => other !== type)
      .map((other) =>
        overload(`${id}_${idName(type)}_${idName(other)}`, `${operator}(${type}, ${other}): bool`, call),
      ),
  ]);
}

const identity: Implementation = (value = null) => value;

/** A function with the name of a type, which makes its values from those of others. */
function conversion(
  to: string,
  from: readonly string[],
  convert: (value: Value) => Value,
): FunctionOverload[] {
  return from.map((type) =>
    overload(`${idName(type)}_to_${idName(to)}`, `${to}(${type}): ${to}`, (value = null) => convert(value)),
  );
}

function text(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw noSuchOverload();
}

const onTwo =
  (apply: (a: Value, b: Value) => Value): Implementation =>
  (a = null, b = null) =>
    apply(a, b);

const sizes = (["bytes", "list(A)", "map(A, B)", "string"] as const).flatMap((type) => {
  const id = `size_${type.replace(/\(.*/, "")}`;
  const call: Implementation = (value = null) => sizeOf(value);
  return [
    overload(id, `size(${type}): int`, call),
    overload(`${type.replace(/\(.*/, "")}_size`, `(${type}).size(): int`, call),
  ];
});

export const standardOverloads: readonly FunctionOverload[] = [
  // The evaluator knows those without an implementation: they need not have all their arguments.
  overload("conditional", "_?_:_(bool, A, A): A"),
  overload("logical_and", "_&&_(bool, bool): bool"),
  overload("logical_or", "_||_(bool, bool): bool"),
  overload("not_strictly_false", "@not_strictly_false(bool): bool"),
  overload("logical_not", "!_(bool): bool", (value) => {
    if (typeof value !== "boolean") throw noSuchOverload();
    return !value;
  }),
  overload("equals", "_==_(A, A): bool", onTwo(equal)),
  overload(
    "not_equals",
    "_!=_(A, A): bool",
    onTwo((a, b) => !equal(a, b)),
  ),

  ...binary("_+_", "add", ["bytes", "double"], onTwo(add)),
  overload("add_duration_duration", "_+_(duration, duration): duration", onTwo(add)),
  overload("add_duration_timestamp", "_+_(duration, timestamp): timestamp", onTwo(add)),
  overload("add_timestamp_duration", "_+_(timestamp, duration): timestamp", onTwo(add)),
  ...binary("_+_", "add", ["int"], onTwo(add)),
  overload("add_list", "_+_(list(A), list(A)): list(A)", onTwo(add)),
  ...binary("_+_", "add", ["string", "uint"], onTwo(add)),
  ...binary("_/_", "divide", ["double", "int", "uint"], onTwo(divide)),
  ...binary("_%_", "modulo", ["int", "uint"], onTwo(modulo)),
  ...binary("_*_", "multiply", ["double", "int", "uint"], onTwo(multiply)),
  ...["double", "int"].map((type) =>
    overload(`negate_${idName(type)}`, `-_(${type}): ${type}`, (value = null) => negate(value)),
  ),
  ...binary("_-_", "subtract", ["double"], onTwo(subtract)),
  overload("subtract_duration_duration", "_-_(duration, duration): duration", onTwo(subtract)),
  ...binary("_-_", "subtract", ["int"], onTwo(subtract)),
  overload("subtract_timestamp_duration", "_-_(timestamp, duration): timestamp", onTwo(subtract)),
  overload("subtract_timestamp_timestamp", "_-_(timestamp, timestamp): duration", onTwo(subtract)),
  ...binary("_-_", "subtract", ["uint"], onTwo(subtract)),

  ...comparison("_<_", "less", (order) => order < 0),
  ...comparison("_<=_", "less_equals", (order) => order <= 0),
  ...comparison("_>_", "greater", (order) => order > 0),
  ...comparison("_>=_", "greater_equals", (order) => order >= 0),

  overload("index_list", "_[_](list(A), int): A", onTwo(index)),
  overload("index_map", "_[_](map(A, B), A): B", onTwo(index)),
  overload("in_list", "@in(A, list(A)): bool", onTwo(contains)),
  overload("in_map", "@in(A, map(A, B)): bool", onTwo(contains)),
  ...sizes,

  overload("type", "type(A): type(A)", (value = null) => new TypeValue(typeOf(value))),
  ...conversion("bool", ["bool", "string"], toBool),
  ...conversion("bytes", ["bytes", "string"], toBytes),
  ...conversion("double", ["double", "int", "string", "uint"], toDouble),
  ...conversion("duration", ["duration", "int", "string"], toDuration),
  overload("to_dyn", "dyn(A): dyn", identity),
  ...conversion("int", ["int", "double", "duration", "string", "timestamp", "uint"], toInt),
  ...conversion(
    "string",
    ["string", "bool", "bytes", "double", "duration", "int", "timestamp", "uint"],
    toText,
  ),
  ...conversion("timestamp", ["timestamp", "int", "string"], toTimestamp),
  ...conversion("uint", ["uint", "double", "int", "string"], toUint),

  overload("contains_string", "(string).contains(string): bool", (a, b) => text(a).includes(text(b))),
  overload("ends_with_string", "(string).endsWith(string): bool", (a, b) => text(a).endsWith(text(b))),
  overload("starts_with_string", "(string).startsWith(string): bool", (a, b) => text(a).startsWith(text(b))),
  overload("matches", "matches(string, string): bool", (a, b) => matchesPattern(text(a), text(b))),
  overload("matches_string", "(string).matches(string): bool", (a, b) => matchesPattern(text(a), text(b))),
  ...timeOverloads,
];
