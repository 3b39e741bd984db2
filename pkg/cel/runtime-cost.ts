// What calls cost while they are evaluated, about 50 ns a unit.

import { lengthOf } from "./code-points.ts";
import { FormatValue } from "./library/formats.ts";
import { isList, isMap, isOpaque, Optional, type Value } from "./values.ts";

export const creationCosts = { list: 10, map: 30, struct: 40 } as const;
/** Of a letter that is looked at, and of one in a pattern. */
export const perLetter = 0.1;
export const perPatternLetter = 0.25;
/** So that an expression may ask twice. */
export const authorizationCost = 350_000;

/** What the server counts as one, whatever the values are. */
export const constantCostFunctions: ReadonlySet<string> = new Set([
  "masked",
  "prefixLength",
  "family",
  "isUnspecified",
  "isLoopback",
  "isLinkLocalMulticast",
  "isLinkLocalUnicast",
  "isGlobalUnicast",
  "format.named",
  "sign",
  "asInteger",
  "isInteger",
  "asApproximateFloat",
  "isGreaterThan",
  "isLessThan",
  "compareTo",
  "add",
  "sub",
  "major",
  "minor",
  "patch",
  "getScheme",
  "getHostname",
  "getHost",
  "getPort",
  "getEscapedPath",
  "getQuery",
  "serviceAccount",
  "path",
  "group",
  "resource",
  "subresource",
  "namespace",
  "name",
  "allowed",
  "reason",
  "error",
  "errored",
]);

export function sizeForCost(value: Value | undefined): number {
  if (value === undefined || value === null) return 1;
  if (typeof value === "string") return lengthOf(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional) return value.value === undefined ? 1 : sizeForCost(value.value);
  if (isList(value) || isMap(value)) return value.size;
  return isOpaque(value) ? (value.size ?? 1) : 1;
}

const letters = (size: number, factor = 1): number => Math.ceil(size * factor * perLetter);
const patternCost = (text: number, pattern: number): number =>
  letters(text + 1) * Math.ceil(pattern * perPatternLetter);

type Cost = (args: readonly Value[], result: Value) => number;
type CostOfSizes = (first: number, second: number, args: readonly Value[]) => number;

/** By the sizes of the first two arguments. */
const bySizes =
  (cost: CostOfSizes): Cost =>
  (args) =>
    cost(sizeForCost(args[0]), sizeForCost(args[1]), args);
const textOnce: Cost = ([first]) => letters(sizeForCost(first));
const textTwice: Cost = ([first]) => letters(sizeForCost(first), 2);
const traversal: Cost = ([value]) => (value === undefined ? 0 : traversalCost(value));
const smaller = bySizes((first, second) => letters(Math.min(first, second)));
const find = bySizes(patternCost);

const cidrCost: CostOfSizes = (cidr, other, args) =>
  letters(cidr + cidr) + (typeof args[1] === "string" ? letters(other) : 0);

const byFunction: Readonly<Record<string, Cost>> = {
  ...Object.fromEntries([...constantCostFunctions].map((name) => [name, () => 1])),
  check: () => authorizationCost,
  fieldSelector: bySizes((_, length) => selectorCost(length)),
  labelSelector: bySizes((_, length) => selectorCost(length)),
  isSorted: traversal,
  sum: traversal,
  max: traversal,
  min: traversal,
  indexOf: traversal,
  lastIndexOf: traversal,
  url: textOnce,
  lowerAscii: textOnce,
  upperAscii: textOnce,
  substring: textOnce,
  trim: textOnce,
  "jsonpatch.escapeKey": textOnce,
  replace: textTwice,
  split: textTwice,
  join: (_args, result) => letters(sizeForCost(result), 2),
  find,
  findAll: find,
  cidr: textOnce,
  isIP: textOnce,
  isCIDR: textOnce,
  ip: (args, result) => (typeof args[0] === "string" ? textOnce(args, result) : 1),
  "ip.isCanonical": textTwice,
  containsIP: bySizes(cidrCost),
  containsCIDR: bySizes((cidr, other, args) => cidrCost(cidr, other, args) + letters(cidr) + 1),
  quantity: textOnce,
  isQuantity: textOnce,
  semver: textOnce,
  isSemver: textOnce,
  validate: bySizes((_, length, [format]) =>
    patternCost(length, format instanceof FormatValue ? format.patternSize : 0),
  ),
  "_==_": bySizes((first, second, [value]) =>
    value !== undefined && isOpaque(value) ? 1 : letters(Math.min(first, second)),
  ),
};

const selfCompared: Cost = ([list]) => {
  const size = sizeForCost(list);
  return listCall(size * size * selfFactor(list));
};

/** Two for each comparison, and a little more where letters are compared. */
function selfFactor(list: Value | undefined): number {
  if (list === undefined || !isList(list) || list.size === 0) return 2;
  const first = list.at(0);
  return typeof first === "string" || first instanceof Uint8Array ? 2 + perLetter : 2;
}

const listCall = (cost: number): number => Math.trunc(cost) + 1 + creationCosts.list;
const outputSize: Cost = (_args, result) => listCall(sizeForCost(result));
const setCost = (factor: number): Cost => bySizes((first, second) => 1 + first * second * factor);

const comparisons = ["less", "less_equals", "greater", "greater_equals"];

const byOverload: Readonly<Record<string, Cost>> = {
  starts_with_string: textOnce,
  ends_with_string: textOnce,
  string_to_bytes: textOnce,
  bytes_to_string: textOnce,
  strings_quote: textOnce,
  string_format: textOnce,
  in_list: ([, list]) => sizeForCost(list),
  ...Object.fromEntries(
    comparisons.flatMap((name) => [`${name}_string`, `${name}_bytes`]).map((id) => [id, smaller]),
  ),
  not_equals: smaller,
  add_string: bySizes((first, second) => letters(first + second)),
  add_bytes: bySizes((first, second) => letters(first + second)),
  matches_string: find,
  contains_string: bySizes((first, second) => letters(first) * letters(second)),
  list_slice: outputSize,
  lists_range: outputSize,
  list_reverse: outputSize,
  list_flatten: ([list]) => listCall(sizeForCost(list)),
  list_flatten_int: ([list, depth]) => listCall(sizeForCost(list) * Number(depth)),
  list_distinct: selfCompared,
  list_sets_contains_list: setCost(1),
  list_sets_intersects_list: setCost(1),
  list_sets_equivalent_list: setCost(2),
};

/** What a call costs. `isOfResult`: that is known only afterwards. */
export interface CallCost {
  readonly of: Cost;
  readonly isOfResult: boolean;
}

export const freeOfCost: CallCost = { of: () => 0, isOfResult: false };

export function callCost(name: string, overload: string): CallCost {
  if (overload.endsWith("_sort")) return { of: selfCompared, isOfResult: false };
  if (overload.endsWith("_sortByAssociatedKeys"))
    return { of: (args) => selfCompared(args.slice(1), null), isOfResult: false };
  const of = entry(byFunction, name) ?? entry(byOverload, overload) ?? ((): number => 1);
  return { of, isOfResult: name === "join" || of === outputSize };
}

const entry = (costs: Readonly<Record<string, Cost>>, name: string): Cost | undefined =>
  Object.hasOwn(costs, name) ? costs[name] : undefined;

export const requirementCost = creationCosts.list + creationCosts.struct;

/** A selector is read, and its shortest requirement has two letters. */
function selectorCost(length: number): number {
  return creationCosts.list + letters(length) + Math.ceil(length * 0.5) * requirementCost;
}

function traversalCost(value: Value): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * perLetter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perLetter);
  if (value === null || typeof value !== "object") return 1;
  if (isList(value)) return [...value].reduce((sum: number, item) => sum + traversalCost(item), 0);
  if (!isMap(value)) return 1;
  return [...value.keys()].reduce(
    (sum: number, key) => sum + traversalCost(key) + traversalCost(value.get(key) ?? null),
    0,
  );
}
