import { codePoints, lengthOf, offsetOf, sliceOf } from "../code-points.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { ArrayList, EvaluationError } from "../values.ts";
import { asInt, asList, asText } from "./arguments.ts";
import { formatString } from "./format-string.ts";

const outOfRange = (index: bigint): EvaluationError => new EvaluationError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  if (index < 0n || index > BigInt(lengthOf(text))) throw outOfRange(index);
  return sliceOf(text, Number(index), Number(index) + 1);
}

/** Where a text begins in another, in code points, from a place on; -1 where it does not. */
function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === "") return offset;
  if (offset < 0n) throw outOfRange(offset);
  if (offset >= BigInt(lengthOf(text))) return -1n;
  return placeOf(text, text.indexOf(part, offsetOf(text, Number(offset))));
}

function lastIndexOf(text: string, part: string, offset: bigint): bigint {
  if (part === "") return offset;
  if (offset < 0n) throw outOfRange(offset);
  if (offset >= BigInt(lengthOf(text))) return -1n;
  return placeOf(text, text.lastIndexOf(part, offsetOf(text, Number(offset))));
}

const placeOf = (text: string, found: number): bigint =>
  found === -1 ? -1n : BigInt(lengthOf(text.slice(0, found)));

function substring(text: string, start: bigint, end: bigint): string {
  const length = BigInt(lengthOf(text));
  if (start > end) throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) throw outOfRange(start);
  if (end < 0n || end > length) throw outOfRange(end);
  return sliceOf(text, Number(start), Number(end));
}

function substringFrom(text: string, start: bigint): string {
  if (start < 0n || start > BigInt(lengthOf(text))) throw outOfRange(start);
  return sliceOf(text, Number(start));
}

/** Without a limit, or below zero, all of them. */
function replace(text: string, [old, by]: readonly [old: string, by: string], limit: bigint): string {
  if (limit < 0n)
    return old === "" ? withBetween(text, by, Infinity) : text.replaceAll(old, by.replaceAll("$", "$$$$"));
  if (old === "") return withBetween(text, by, Number(limit));
  const parts = text.split(old);
  const count = Math.min(Number(limit), parts.length - 1);
  return [...parts.slice(0, count).map((part) => part + by), parts.slice(count).join(old)].join("");
}

/** Nothing is before each letter and at the end. */
function withBetween(text: string, by: string, limit: number): string {
  const letters = codePoints(text);
  const parts = letters.map((letter, index) => (index < limit ? by + letter : letter));
  return parts.join("") + (letters.length < limit ? by : "");
}

function split(text: string, separator: string, limit: bigint): ArrayList {
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === "" ? codePoints(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ArrayList(parts);
  const kept = Number(limit) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function join(parts: Iterable<unknown>, separator: string): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (typeof part !== "string") throw new EvaluationError(`join: invalid input: ${String(part)}`);
    texts.push(part);
  }
  return texts.join(separator);
}

/** The backslash first. */
const quoted: readonly (readonly [letter: string, written: string])[] = [
  ["\\", String.raw`\\`],
  ["\u0007", String.raw`\a`],
  ["\b", String.raw`\b`],
  ["\f", String.raw`\f`],
  ["\n", String.raw`\n`],
  ["\r", String.raw`\r`],
  ["\t", String.raw`\t`],
  ["\v", String.raw`\v`],
  ['"', String.raw`\"`],
];

const quote = (text: string): string =>
  `"${quoted.reduce((written, [letter, by]) => written.replaceAll(letter, by), text.toWellFormed())}"`;

/** What Go takes for white space. */
const space = /\p{White_Space}/u;

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text.charAt(start))) start++;
  while (end > start && space.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

// eslint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007F]*$/;
const lower = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): string =>
  ascii.test(text) ? text.toUpperCase() : text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());

export const stringOverloads: readonly FunctionOverload[] = [
  overload("string_char_at_int", "(string).charAt(int): string", (text, index) =>
    charAt(asText(text), asInt(index)),
  ),
  overload("string_index_of_string", "(string).indexOf(string): int", (text, part) =>
    indexOf(asText(text), asText(part), 0n),
  ),
  overload("string_index_of_string_int", "(string).indexOf(string, int): int", (text, part, offset) =>
    indexOf(asText(text), asText(part), asInt(offset)),
  ),
  overload("string_last_index_of_string", "(string).lastIndexOf(string): int", (text, part) => {
    const length = lengthOf(asText(text));
    if (asText(part) === "") return BigInt(length);
    return length === 0 ? -1n : lastIndexOf(asText(text), asText(part), BigInt(length - 1));
  }),
  overload(
    "string_last_index_of_string_int",
    "(string).lastIndexOf(string, int): int",
    (text, part, offset) => lastIndexOf(asText(text), asText(part), asInt(offset)),
  ),
  overload("string_lower_ascii", "(string).lowerAscii(): string", (text) => lower(asText(text))),
  overload("string_replace_string_string", "(string).replace(string, string): string", (text, old, by) =>
    replace(asText(text), [asText(old), asText(by)], -1n),
  ),
  overload(
    "string_replace_string_string_int",
    "(string).replace(string, string, int): string",
    (text, old, by, limit) => replace(asText(text), [asText(old), asText(by)], asInt(limit)),
  ),
  overload("string_split_string", "(string).split(string): list(string)", (text, separator) =>
    split(asText(text), asText(separator), -1n),
  ),
  overload("string_split_string_int", "(string).split(string, int): list(string)", (text, separator, limit) =>
    split(asText(text), asText(separator), asInt(limit)),
  ),
  overload("string_substring_int", "(string).substring(int): string", (text, start) =>
    substringFrom(asText(text), asInt(start)),
  ),
  overload("string_substring_int_int", "(string).substring(int, int): string", (text, start, end) =>
    substring(asText(text), asInt(start), asInt(end)),
  ),
  overload("string_trim", "(string).trim(): string", (text) => trim(asText(text))),
  overload("string_upper_ascii", "(string).upperAscii(): string", (text) => upper(asText(text))),
  overload("string_format", "(string).format(list(dyn)): string", (text, args) =>
    formatString(asText(text), asList(args)),
  ),
  overload("strings_quote", "strings.quote(string): string", (text) => quote(asText(text))),
  overload("list_join", "(list(string)).join(): string", (list) => join(asList(list), "")),
  overload("list_join_string", "(list(string)).join(string): string", (list, separator) =>
    join(asList(list), asText(separator)),
  ),
];
