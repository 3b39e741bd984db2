// "%s".format([…]) and its clauses.

import { codePoints } from "../code-points.ts";
import { toDouble, toText } from "../conversions.ts";
import { typeOf } from "../type-of.ts";
import { isDyn, type Kind, type Type } from "../types.ts";
import { EvaluationError, isList, isMap, type ListValue, TypeValue, Uint, type Value } from "../values.ts";

const defaultPrecision = 6;
const clausePattern = /%(?:(?<percent>%)|(?:\.(?<precision>\d*))?(?<verb>[^]?))/gu;

export function formatString(format: string, args: ListValue): string {
  let next = 0;
  const text = format.replaceAll(clausePattern, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    if (groups["percent"] !== undefined) return "%";
    if (next >= args.size) throw new EvaluationError(`index ${next} out of range`);
    const precision = groups["precision"];
    return formatClause(groups["verb"] ?? "", args.at(next++), Number(precision ?? defaultPrecision));
  });
  if (next < args.size)
    throw new EvaluationError(
      `too many arguments supplied to string.format (expected ${next}, got ${args.size})`,
    );
  return text;
}

const unknownClause = (verb: string): string =>
  verb === ""
    ? "unexpected end of string"
    : `could not parse formatting clause: unrecognized formatting clause "${verb}"`;

/** What a clause takes, and how that is said. */
const clauses: Readonly<Record<string, { readonly kinds: readonly Kind[]; readonly rule: string }>> = {
  s: {
    kinds: [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
    rule: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { kinds: ["int", "uint"], rule: "decimal clause can only be used on integers" },
  f: { kinds: ["double"], rule: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double"], rule: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], rule: "only integers and bools can be formatted as binary" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    rule: "only integers, byte buffers, and strings can be formatted as hex",
  },
  o: { kinds: ["int", "uint"], rule: "octal clause can only be used on integers" },
};

const wrongType = (rule: string, { name }: Type): string =>
  `error during formatting: ${rule}, was given ${name}`;

function clauseOf(verb: string): { readonly kinds: readonly Kind[]; readonly rule: string } | undefined {
  const name = verb === "X" ? "x" : verb;
  return Object.hasOwn(clauses, name) ? clauses[name] : undefined;
}

/** What is wrong with a format for arguments of these types, and which of them it is about. */
export function formatProblem(
  format: string,
  types: readonly Type[],
): { readonly message: string; readonly argument?: number } | undefined {
  let next = 0;
  for (const { groups = {} } of format.matchAll(clausePattern)) {
    if (groups["percent"] !== undefined) continue;
    const type = types[next];
    if (type === undefined) return { message: `index ${next} out of range` };
    const clause = clauseOf(groups["verb"] ?? "");
    if (clause === undefined) return { message: unknownClause(groups["verb"] ?? "") };
    // Texts may be those of numbers: what they are is seen when it is formatted.
    const mayBeNumber = type.kind === "string" && clause.kinds.includes("double");
    if (!isDyn(type) && !mayBeNumber && !clause.kinds.includes(type.kind))
      return { message: wrongType(clause.rule, type), argument: next };
    next++;
  }
  if (next === types.length) return undefined;
  return {
    message: `too many arguments supplied to string.format (expected ${next}, got ${types.length})`,
  };
}

function formatClause(verb: string, value: Value, precision: number): string {
  const clause = clauseOf(verb);
  if (clause === undefined) throw new EvaluationError(unknownClause(verb));
  const number = (verb === "f" || verb === "e") && special.has(value) ? toDouble(value) : value;
  if (!clause.kinds.includes(typeOf(number).kind))
    throw new EvaluationError(wrongType(clause.rule, typeOf(value)));
  if (verb === "s") return formatText(value);
  if (verb === "f") return formatFixed(Number(number), precision);
  if (verb === "e") return formatScientific(Number(number), precision);
  if (verb === "x") return formatHex(value);
  if (verb === "X") return formatHex(value).toUpperCase();
  if (typeof value === "boolean") return String(Number(value));
  return toInteger(value).toString(verb === "b" ? 2 : verb === "o" ? 8 : 10);
}

/** Texts that are numbers all the same. */
const special: ReadonlySet<Value> = new Set(["NaN", "Infinity", "-Infinity"]);

const toInteger = (value: Value): bigint => (value instanceof Uint ? value.value : BigInt(toText(value)));

function formatText(value: Value): string {
  if (value === null) return "null";
  if (value instanceof TypeValue) return value.type.name;
  if (isList(value)) return `[${[...value].map(formatElement).join(", ")}]`;
  if (isMap(value)) return formatMap([...value.keys()].map((key) => [key, value.get(key) ?? null]));
  return toText(value);
}

function formatMap(entries: readonly (readonly [key: Value, value: Value])[]): string {
  const texts = entries
    .map(([key, value]) => [formatElement(key), formatElement(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${texts.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** As it would be written in an expression. */
function formatElement(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(toText(value))}`;
  if (value instanceof TypeValue) return `type(${value.type.name})`;
  if (typeof value === "number")
    return Number.isFinite(value) ? value.toFixed(defaultPrecision) : JSON.stringify(toText(value));
  const written = formatText(value);
  const kind = typeOf(value).kind;
  return kind === "duration" || kind === "timestamp" ? `${kind}(${JSON.stringify(written)})` : written;
}

const notFinite = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞");

/** With thousands set apart. */
function formatFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [whole = "", fraction] = rounded(value, precision).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A double has no more behind its point that count. */
const mostDigits = 100;

/** What is right between two goes to the even one. */
function rounded(value: number, precision: number): string {
  const digits = Math.min(precision, mostDigits);
  const text = value.toFixed(digits);
  const exact = value.toFixed(mostDigits);
  const rest = exact.slice(exact.indexOf(".") + 1 + digits);
  if (!/^50*$/.test(rest) || !/[13579]$/.test(text)) return text;
  const nearer = Number(text) - (value < 0 ? -1 : 1) * 10 ** -digits;
  return nearer.toFixed(digits);
}

const superscripts = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

/** The real server takes the precision for a width here. */
function formatScientific(value: number, width: number): string {
  if (!Number.isFinite(value)) return notFinite(value).padStart(width);
  const [mantissa = "", exponent = "0"] = value.toExponential(defaultPrecision).split("e");
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, "0");
  const raised = codePoints(digits)
    .map((digit) => superscripts[Number(digit)])
    .join("");
  return `${mantissa}×10${power < 0 ? "⁻" : ""}${raised}`.padStart(width);
}

function formatHex(value: Value): string {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return toInteger(value).toString(16);
}
