import { DurationError, parseDurationNs } from "../../api/duration.ts";
import { type GoStruct, type GoType, structOf } from "../../api/go-types.ts";
import { isInt64, toInt64 } from "../../api/int64.ts";
import { isJson, type Json } from "../../api/json.ts";
import { readBase64 } from "../../api/base64.ts";
import { microTimeLayout, parseGoTime, timeLayout } from "../../api/go-time.ts";
import { isWrittenQuantity, parseQuantity, QuantityError } from "../../api/quantity-parse.ts";

/**
 * What the server says of an object that it has merged as a tree of values (a strategic merge patch, an apply) and that
 * does not fit its type: the first problem in the order of Go's fields. Numbers that are too long for their type are no
 * problem: they are cut off, in place. upstream: apimachinery/pkg/runtime/converter.go#fromUnstructured
 */
export function unstructuredProblem(object: Json, type: GoStruct): string | undefined {
  for (const [name, field] of type.fields) {
    const problem = problemAt(object, name, field.type);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemAt<K extends string | number>(
  holder: Record<K, unknown>,
  at: K,
  type: GoType,
): string | undefined {
  const value = holder[at];
  const bits = type.kind === "int32" ? 32 : type.kind === "int64" ? 64 : undefined;
  if (bits === undefined || !isWhole(value)) return problemOf(value, type);
  holder[at] = toInt64(BigInt.asIntN(bits, asInt64(value)));
  return undefined;
}

function isWhole(value: unknown): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

/** What is too long for 64 bits is a float, which the processor turns into the smallest number that there is. */
function asInt64(value: number | bigint): bigint {
  return isInt64(value) || Math.abs(Number(value)) < 2 ** 63 ? BigInt(value) : -(2n ** 63n);
}

function problemOf(value: unknown, type: GoType): string | undefined {
  if (value === undefined || value === null) return undefined;
  const from = kindOf(value);
  switch (type.kind) {
    case "any":
    case "raw":
      return undefined;
    case "struct":
      return isJson(value)
        ? unstructuredProblem(value, structOf(type))
        : `cannot restore struct from: ${from}`;
    case "map":
      return isJson(value)
        ? firstOf(value, Object.keys(value), type.items)
        : `cannot restore map from ${from}`;
    case "list":
      return Array.isArray(value)
        ? firstOf(value, value.keys(), type.items)
        : `cannot restore slice from ${from}`;
    case "bytes":
      return problemOfBytes(value, from);
    case "string":
      if (from === "string") return undefined;
      return from === "int64" ? `cannot convert int64 to ${type.go}` : "unrecognized type: string";
    case "bool":
      return from === "bool" ? undefined : "unrecognized type: bool";
    case "float64":
      return from === "int64" || from === "float64" ? undefined : "unrecognized type: float64";
    case "int32":
    case "int64":
      if (from === "int64") return undefined;
      return from === "float64" ? `cannot convert float64 to ${type.go}` : `unrecognized type: ${type.kind}`;
    case "duration":
    case "intOrString":
    case "microTime":
    case "quantity":
    case "time":
    default:
      return problemOfText(value, from, type);
  }
}

function firstOf<K extends string | number>(
  holder: Record<K, unknown>,
  places: Iterable<K>,
  items: GoType | undefined,
): string | undefined {
  if (items === undefined) return undefined;
  for (const at of places) {
    const problem = problemAt(holder, at, items);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfBytes(value: unknown, from: string): string | undefined {
  if (Array.isArray(value)) return undefined;
  if (typeof value !== "string") return `cannot restore slice from ${from}`;
  const read = readBase64(value);
  if (typeof read === "string") return undefined;
  return `error decoding from json: illegal base64 data at input byte ${read.wrongAt}`;
}

/** Types that read JSON themselves. */
function problemOfText(value: unknown, from: string, { kind }: GoType): string | undefined {
  if (kind === "intOrString") {
    if (from === "string" || from === "int64") return undefined;
    return unlike(from === "float64" ? `number ${String(value)}` : jsonNameOf(from), "int32");
  }
  if (kind === "quantity") return problemOfQuantity(value);
  if (typeof value !== "string") return unlike(jsonNameOf(from), "string");
  if (kind === "duration") return problemOfDuration(value);
  const read = parseGoTime(value, kind === "microTime" ? microTimeLayout : timeLayout);
  return typeof read === "string" ? read : undefined;
}

function problemOfQuantity(value: unknown): string | undefined {
  try {
    parseQuantity(isWrittenQuantity(value) ? String(value).trim() : JSON.stringify(value));
    return undefined;
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}

function problemOfDuration(value: string): string | undefined {
  try {
    parseDurationNs(value);
    return undefined;
  } catch (error) {
    if (error instanceof DurationError) return error.message;
    throw error;
  }
}

function unlike(given: string, target: string): string {
  return `json: cannot unmarshal ${given} into Go value of type ${target}`;
}

/** Go's kind of a value of a tree. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map";
}

function jsonNameOf(kind: string): string {
  const names: Readonly<Record<string, string>> = {
    slice: "array",
    map: "object",
    int64: "number",
    float64: "number",
  };
  return names[kind] ?? kind;
}
