import { compareInt64, type Int64 } from "../../api/int64.ts";
import { done, sortInSteps, STEP, type Steps } from "../../api/steps.ts";
import { parseJson } from "../../api/wire-json.ts";

/**
 * One step of a field path, in the form that FieldsV1 has:
 *   f:name   a field of an object, or a key of a map
 *   k:{...}  the item of a list with these keys, sorted by name
 *   v:...    the item of a set with this value
 *   i:0      the item at this place
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  const [name, ...others] = Object.keys(keys);
  if (name !== undefined && others.length === 0)
    return `k:{${JSON.stringify(name)}:${JSON.stringify(keys[name])}}`;
  const sorted = Object.entries(keys).toSorted(([a], [b]) => compareStrings(a, b));
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${JSON.stringify(value)}`;
}

export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** The item with one key, or the one that is this text: written as we do, as most are. */
const plain = /^(?:k:\{"[^"\\]+":"[^"\\]*"\}|v:"[^"\\]*")$/;

/** The same for items alone. */
const plainKey = /^k:\{"[^"\\]+":"[^"\\]*"\}$/;

/** Writes an element that came from outside as we do; undefined for kinds that a later version may know. */
export function canonicalElement(text: string): PathElement | undefined {
  const [kind, rest] = [text.slice(0, 2), text.slice(2)];
  if (kind.length < 2 || kind[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  if (kind === "f:" || kind === "i:" || plain.test(text)) return text;
  if (kind === "k:") return keyElement(parseJson(rest) as Readonly<Record<string, unknown>>);
  return kind === "v:" ? valueElement(parseJson(rest)) : undefined;
}

/** In the order of FieldsV1 and of messages: fields, keys, values, places. Each is read once, however many there are. */
export function sortElements(elements: readonly PathElement[]): Steps<readonly PathElement[]> {
  return elements.length <= SORTED_AT_ONCE ? done(sortAtOnce(elements)) : sortMany(elements);
}

/** Not for more than SORTED_AT_ONCE. */
export function sortAtOnce(elements: readonly PathElement[]): readonly PathElement[] {
  if (elements.every((element) => element.startsWith("f:"))) return elements.toSorted();
  const [first = ""] = elements;
  const start = first.slice(0, first.indexOf('":"') + 3);
  if (elements.every((element) => element.startsWith(start) && plainKey.test(element))) {
    const valueIn = (element: PathElement): string => element.slice(start.length, -2);
    return elements.toSorted((one, other) => compareStrings(valueIn(one), valueIn(other)));
  }
  return elements
    .map(readElement)
    .sort(compareRead)
    .map(({ element }) => element);
}

function* sortMany(elements: readonly PathElement[]): Steps<readonly PathElement[]> {
  const read: ReadElement[] = [];
  for (const element of elements) {
    if (read.length % STEP === STEP - 1) yield;
    read.push(readElement(element));
  }
  const sorted = yield* sortInSteps(read, compareRead);
  return sorted.map(({ element }) => element);
}

export const SORTED_AT_ONCE = 512;

const kinds = "fkvi";

interface ReadElement {
  readonly element: PathElement;
  readonly kind: number;
  readonly value: unknown;
}

function readElement(element: PathElement): ReadElement {
  return { element, kind: kinds.indexOf(element.charAt(0)), value: valueOf(element) };
}

function valueOf(element: PathElement): unknown {
  if (element.startsWith("f:")) return element;
  // Most need not be parsed.
  if (plain.test(element)) {
    if (element.startsWith("v:")) return element.slice(3, -1);
    const middle = element.indexOf('":"');
    return { [element.slice(4, middle)]: element.slice(middle + 3, -2) };
  }
  return parseJson(element.slice(2));
}

function compareRead(one: ReadElement, other: ReadElement): number {
  if (one.kind !== other.kind) return one.kind - other.kind;
  return one.element.startsWith("k:")
    ? compareKeys(one.value as object, other.value as object)
    : compareValues(one.value, other.value);
}

/** `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`: how messages write a step. */
export function printElement(element: PathElement): string {
  const [kind, rest] = [element.slice(0, 2), element.slice(2)];
  switch (kind) {
    case "f:":
      return `.${rest}`;
    case "k:": {
      const keys = Object.entries(parseJson(rest) as Readonly<Record<string, unknown>>);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v:":
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}

function compareKeys(a: object, b: object): number {
  const [left, right] = [Object.entries(a), Object.entries(b)] as [[string, unknown][], [string, unknown][]];
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const difference = compareStrings(name, other[0]) || compareValues(value, other[1]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareValues(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return compareInt64(a, b);
  const kind = rank(a) - rank(b);
  return kind === 0 ? compareStrings(String(a), String(b)) : kind;
}

function rank(value: unknown): number {
  return ["number", "string", "boolean"].indexOf(isNumber(value) ? "number" : typeof value);
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
