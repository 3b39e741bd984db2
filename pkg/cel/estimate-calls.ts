// What calls of functions may cost. Rules that are in use depend on each of these numbers.

import type { Expr } from "./ast.ts";
import { either, fixed, most, plus, type Range, scaled, sum, times, unknown } from "./range.ts";
import {
  authorizationCost,
  constantCostFunctions,
  creationCosts,
  perLetter,
  perPatternLetter,
  requirementCost,
} from "./runtime-cost.ts";
import { sameType, type Type } from "./types.ts";

export interface Operand {
  readonly expr: Expr;
  readonly type: Type;
  readonly size: Range | undefined;
  /** How large an element of a list may be. */
  readonly elementSize: () => Range;
}

export interface CallToEstimate {
  readonly name: string;
  readonly id: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  /** Of the arguments. */
  readonly costs: readonly Range[];
}

export interface CallEstimate {
  readonly cost: Range;
  /** Of what it gives, where that is known. */
  readonly size?: Range | undefined;
}

export function callEstimate(call: CallToEstimate): CallEstimate {
  const own = listEstimate(call) ?? libraryEstimate(call);
  if (own !== undefined) return { cost: plus(own.cost, sum(call.costs)), size: own.size };
  return languageEstimate(call);
}

const sizeOf = (operand: Operand | undefined): Range => operand?.size ?? unknown;
const one = fixed(1);
const letters = (size: Range, factor = 1): Range => scaled(size, factor * perLetter);
const patternCost = (text: Range, pattern: Range): Range =>
  times(letters(plus(text, one)), scaled(pattern, perPatternLetter));

type Estimate = (call: CallToEstimate) => CallEstimate | undefined;

const ofArgument =
  (factor: number): Estimate =>
  ({ args }) => ({ cost: letters(sizeOf(args[0]), factor) });

const keepsLetters: Estimate = ({ target }) =>
  target === undefined ? undefined : { cost: letters(sizeOf(target)), size: sizeOf(target) };

const traversal: Estimate = ({ target }) => {
  if (target === undefined) return undefined;
  const [element] = target.type.params;
  if (element === undefined) return { cost: letters(sizeOf(target)) };
  const isText = element.kind === "string" || element.kind === "bytes";
  const each = isText ? plus(one, letters(target.elementSize())) : one;
  return { cost: times(sizeOf(target), each) };
};

const find: Estimate = ({ target, args }) => {
  if (target === undefined || args.length === 0) return undefined;
  const text = sizeOf(target);
  return { cost: patternCost(text, sizeOf(args[0])), size: { min: 0, max: text.max } };
};

const selector: Estimate = ({ args }) => {
  if (args.length !== 1) return undefined;
  const length = sizeOf(args[0]);
  const requirements = scaled(scaled(length, 0.5), requirementCost);
  return { cost: sum([fixed(creationCosts.list), letters(length), requirements]) };
};

const replace: Estimate = ({ target, args }) => {
  if (target === undefined || args.length < 2) return undefined;
  const [text, old, by] = [sizeOf(target), sizeOf(args[0]), sizeOf(args[1])];
  const longest = replacements(text.max, old.min, by.max <= old.min);
  const shortest = replacements(text.min, old.max, old.max <= by.min);
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  return { cost: letters(text, 2), size: plus(times(count, by), kept) };
};

/** How often a part may be replaced, and how many letters stay; nothing is found before and after each letter. */
function replacements(length: number, part: number, noLonger: boolean): { count: number; kept: number } {
  if (part === 0) return { count: Math.min(length + 1, most), kept: length };
  return noLonger ? { count: 0, kept: length } : { count: Math.ceil(length / part), kept: 0 };
}

const split: Estimate = ({ target, args }) => {
  if (target === undefined) return undefined;
  const text = sizeOf(target);
  const limit = args[1]?.expr;
  const max = limit?.kind === "literal" && typeof limit.value === "bigint" ? limit.value : undefined;
  const parts = max === undefined ? text.max : Number(BigInt.asUintN(64, max));
  return { cost: letters(text, 2), size: { min: 0, max: parts } };
};

const join: Estimate = ({ target, args }) => {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const texts = times(count, target.elementSize());
  const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
  const size = args.length === 0 ? texts : plus(texts, times(sizeOf(args[0]), between));
  return { cost: letters(size), size };
};

const networkBytes = { min: 4, max: 16 };

const containsIp: Estimate = ({ id, args }) => {
  const compared = letters(plus(networkBytes, networkBytes));
  return { cost: id.endsWith("_string") ? plus(compared, letters(sizeOf(args[0]))) : compared };
};

const containsCidr: Estimate = (call) => {
  const bytes = containsIp(call);
  return bytes === undefined ? undefined : { cost: sum([bytes.cost, letters(networkBytes), one]) };
};

/** The longest pattern of a format, and the longest of their names. */
const longestPattern = 128;
const longestFormat = 64;

const equality: Estimate = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined;
  const { kind, name } = left.type;
  if (kind === "opaque") return name.startsWith("net.") ? { cost: one } : undefined;
  if (kind !== "struct" || !name.startsWith("kubernetes.")) return undefined;
  if (name === "kubernetes.NamedFormat") return { cost: letters({ min: 1, max: longestFormat }) };
  return { cost: one };
};

const byFunction: Readonly<Record<string, Estimate>> = {
  ...Object.fromEntries([...constantCostFunctions].map((name) => [name, () => ({ cost: one })])),
  check: () => ({ cost: fixed(authorizationCost) }),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: ({ args }) => ({ cost: letters(sizeOf(args[0])), size: sizeOf(args[0]) }),
  lowerAscii: keepsLetters,
  upperAscii: keepsLetters,
  substring: keepsLetters,
  trim: keepsLetters,
  replace,
  split,
  join,
  find,
  findAll: find,
  cidr: ofArgument(1),
  isIP: ofArgument(1),
  isCIDR: ofArgument(1),
  ip: ({ id, args }) => ({ cost: id === "cidr_ip" ? one : letters(sizeOf(args[0])) }),
  "ip.isCanonical": ofArgument(2),
  containsIP: containsIp,
  containsCIDR: containsCidr,
  quantity: ofArgument(1),
  isQuantity: ofArgument(1),
  semver: ofArgument(1),
  isSemver: ofArgument(1),
  validate: ({ args }) => ({
    cost: scaled(letters(sizeOf(args[0])), longestPattern * perPatternLetter),
  }),
  "_==_": equality,
};

function libraryEstimate(call: CallToEstimate): CallEstimate | undefined {
  const estimate = Object.hasOwn(byFunction, call.name) ? byFunction[call.name] : undefined;
  return estimate?.(call);
}

const listCall = (size: Range, factor: number): CallEstimate => ({
  cost: sum([scaled(size, factor), one, fixed(creationCosts.list)]),
  size,
});

/** The value of a literal int that is not below zero. */
function intOf(operand: Operand | undefined, otherwise: number): number {
  const expr = operand?.expr;
  if (expr?.kind !== "literal" || typeof expr.value !== "bigint") return otherwise;
  return Math.max(0, Number(expr.value));
}

function sortEstimate(id: string, list: Operand): CallEstimate {
  const size = sizeOf(list);
  return listCall(times(size, size), /^list_(?:string|bytes)_/.test(id) ? 2 + perLetter : 2);
}

function listEstimate({ id, target, args }: CallToEstimate): CallEstimate | undefined {
  const [first, second] = args;
  if (id.startsWith("list_sets_")) {
    const compared = times(sizeOf(first), sizeOf(second));
    return { cost: plus(scaled(compared, id.includes("equivalent") ? 2 : 1), one) };
  }
  if (id === "lists_range") return listCall(fixed(intOf(first, most)), 1);
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  if (id.endsWith("_sort")) return sortEstimate(id, target);
  if (id.endsWith("_sortByAssociatedKeys") && first !== undefined) return sortEstimate(id, first);
  if (id === "list_slice") return listCall(fixed(intOf(second, size.max) - intOf(first, 0)), 1);
  if (id === "list_reverse" || id === "list_flatten") return listCall(size, 1);
  if (id === "list_flatten_int") return listCall(size, intOf(first, most));
  return id === "list_distinct" ? listCall(times(size, size), 2) : undefined;
}

const comparisons = /^(?:(?:less|greater)(?:_equals)?_(?:string|bytes)|equals|not_equals)$/;

function languageEstimate({ id, target, args, costs }: CallToEstimate): CallEstimate {
  const given = sum(costs);
  const [first, second, third] = args;
  const size = sizeOf(first);
  if (comparisons.test(id)) {
    const max = Math.min(size.max, sizeOf(second).max);
    return { cost: plus(letters({ min: max > 0 ? 1 : 0, max }), given) };
  }
  switch (id) {
    case "string_format":
      return { cost: plus(letters(sizeOf(target)), given) };
    case "string_to_bytes":
      return { cost: plus(letters(size), given), size: { min: size.min, max: size.max * 4 } };
    case "bytes_to_string":
      return { cost: plus(letters(size), given), size: { min: Math.trunc(size.min / 4), max: size.max } };
    case "strings_quote":
      return { cost: plus(letters(size), given), size: { min: size.min + 2, max: size.max * 2 + 2 } };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: plus(letters(size), given) };
    case "in_list":
      return { cost: plus(sizeOf(second), given) };
    case "matches_string":
      return { cost: plus(patternCost(sizeOf(target), size), given) };
    case "contains_string":
      return { cost: plus(times(letters(sizeOf(target)), letters(size)), given) };
    case "logical_or":
    case "logical_and": {
      const [left = fixed(0), right = fixed(0)] = costs;
      return { cost: { min: left.min, max: plus(left, right).max } };
    }
    case "conditional": {
      const [condition = fixed(0), ifTrue = fixed(0), ifFalse = fixed(0)] = costs;
      return { cost: plus(condition, either(ifTrue, ifFalse)), size: either(sizeOf(second), sizeOf(third)) };
    }
    case "add_string":
    case "add_bytes": {
      const both = plus(size, sizeOf(second));
      return { cost: plus(letters(both), given), size: both };
    }
    case "add_list":
      return { cost: plus(one, given), size: plus(size, sizeOf(second)) };
    default:
      return { cost: plus(one, given) };
  }
}
