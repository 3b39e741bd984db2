import { compareInt64, type Int64 } from "../../api/int64.ts";
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
  const sorted = Object.entries(keys).toSorted(([a], [b]) => compareStrings(a, b));
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${JSON.stringify(value)}`;
}

export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** Writes an element that came from outside as we do; undefined for kinds that a later version may know. */
export function canonicalElement(text: string): PathElement | undefined {
  const [kind, rest] = [text.slice(0, 2), text.slice(2)];
  if (kind.length < 2 || kind[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  if (kind === "f:" || kind === "i:") return text;
  if (kind === "k:") return keyElement(parseJson(rest) as Readonly<Record<string, unknown>>);
  return kind === "v:" ? valueElement(parseJson(rest)) : undefined;
}

/** The order in FieldsV1 and in messages: fields, keys, values, places. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kinds = "fkvi";
  const kind = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  if (a.startsWith("f:")) return compareStrings(a, b);
  const [left, right] = [parseJson(a.slice(2)), parseJson(b.slice(2))];
  return a.startsWith("k:") ? compareKeys(left as object, right as object) : compareValues(left, right);
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
