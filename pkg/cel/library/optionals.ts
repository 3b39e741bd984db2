import { type FunctionOverload, overload } from "../declarations.ts";
import { sizeOf } from "../operations.ts";
import {
  ArrayList,
  Duration,
  EvaluationError,
  isList,
  isMap,
  isOpaque,
  type ListValue,
  Optional,
  Uint,
  type Value,
} from "../values.ts";
import { asInstance, asList } from "./arguments.ts";

export const present = (value: Value | undefined): Optional =>
  value === undefined ? Optional.none : new Optional(value);

/** What an empty value of a type is. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Optional) return value.value === undefined;
  if (isOpaque(value)) return false;
  return (isList(value) || isMap(value) || value instanceof Uint8Array) && sizeOf(value) === 0n;
}

function valueOf(optional: Value | undefined): Value {
  const { value } = asInstance(optional, Optional);
  if (value === undefined) throw new EvaluationError("optional.none() dereference");
  return value;
}

const elementAt = (list: ListValue, index: number): Optional =>
  list.size === 0 ? Optional.none : new Optional(list.at(index));

function unwrapped(list: Value | undefined): ArrayList {
  const values = [...asList(list)].flatMap((item) => {
    const { value } = asInstance(item, Optional);
    return value === undefined ? [] : [value];
  });
  return new ArrayList(values);
}

export const optionalOverloads: readonly FunctionOverload[] = [
  overload("optional_of", "optional.of(V): optional(V)", (value) => present(value)),
  overload("optional_ofNonZeroValue", "optional.ofNonZeroValue(V): optional(V)", (value = null) =>
    isZero(value) ? Optional.none : new Optional(value),
  ),
  overload("optional_none", "optional.none(): optional(V)", () => Optional.none),
  overload("optional_value", "(optional(V)).value(): V", valueOf),
  overload(
    "optional_hasValue",
    "(optional(V)).hasValue(): bool",
    (optional) => asInstance(optional, Optional).value !== undefined,
  ),
  // The evaluator knows what follows up to the indexes: the alternative is not looked at where it is not needed.
  overload("optional_or_optional", "(optional(V)).or(optional(V)): optional(V)"),
  overload("optional_orValue_value", "(optional(V)).orValue(V): V"),
  overload("select_optional_field", "_?._(dyn, string): optional(V)"),
  overload("list_optindex_optional_int", "_[?_](list(V), int): optional(V)"),
  overload("optional_list_optindex_optional_int", "_[?_](optional(list(V)), int): optional(V)"),
  overload("map_optindex_optional_value", "_[?_](map(K, V), K): optional(V)"),
  overload("optional_map_optindex_optional_value", "_[?_](optional(map(K, V)), K): optional(V)"),
  overload("optional_list_index_int", "_[_](optional(list(V)), int): optional(V)"),
  overload("optional_map_index_value", "_[_](optional(map(K, V)), K): optional(V)"),
  overload("list_first", "(list(V)).first(): optional(V)", (list) => elementAt(asList(list), 0)),
  overload("list_last", "(list(V)).last(): optional(V)", (list) =>
    elementAt(asList(list), asList(list).size - 1),
  ),
  overload("optional_unwrap", "optional.unwrap(list(optional(V))): list(V)", (list) => unwrapped(list)),
  overload("optional_unwrapOpt", "(list(optional(V))).unwrapOpt(): list(V)", (list) => unwrapped(list)),
];
