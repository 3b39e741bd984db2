import { DurationError, parseDurationNs } from "../api/duration.ts";
import { parseGoTime, timeLayout } from "../api/go-time.ts";
import { formatDouble, parseDouble, withoutExponent } from "./numbers.ts";
import { checkedDuration, checkedInt, checkedTimestamp, checkedUint, noSuchOverload } from "./operations.ts";
import { typeOf } from "./type-of.ts";
import { Duration, EvaluationError, Timestamp, Uint, type Value } from "./values.ts";

const second = 1_000_000_000n;

export function toInt(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return checkedInt(value.value);
  // The limits themselves are too large, as no double is next to them.
  if (typeof value === "number") {
    if (!(Math.abs(value) < 2 ** 63)) throw new EvaluationError("integer overflow");
    return BigInt(Math.trunc(value));
  }
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return floorDivide(value.nanos, second);
  if (typeof value !== "string") throw noSuchOverload();
  if (!/^[+-]?[0-9]+$/.test(value)) throw notConverted(value, "int");
  return checkedInt(BigInt(value.replace("+", "")), "type conversion error from 'string' to 'int'");
}

export function toUint(value: Value): Uint {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return checkedUint(value);
  if (typeof value === "number") {
    if (!(value >= 0 && value < 2 ** 64)) throw new EvaluationError("unsigned integer overflow");
    return new Uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== "string") throw noSuchOverload();
  if (!/^[0-9]+$/.test(value)) throw notConverted(value, "uint");
  return checkedUint(BigInt(value), "type conversion error from 'string' to 'uint'");
}

export function toDouble(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== "string") throw noSuchOverload();
  const parsed = parseDouble(value);
  if (parsed === undefined) throw notConverted(value, "double");
  return parsed;
}

export function toBool(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") throw noSuchOverload();
  if (["1", "t", "T", "TRUE", "true", "True"].includes(value)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(value)) return false;
  throw notConverted(value, "bool");
}

export function toBytes(value: Value): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return new Uint8Array(Buffer.from(value));
  throw noSuchOverload();
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint) return String(value.value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Duration) return `${withoutExponent(Number(value.nanos) / 1e9)}s`;
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (!(value instanceof Uint8Array)) throw noSuchOverload();
  try {
    return decoder.decode(value);
  } catch (error) {
    throw new EvaluationError("invalid UTF-8 in bytes, cannot convert to string", { cause: error });
  }
}

export function toDuration(value: Value): Duration {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return checkedDuration(value);
  if (typeof value !== "string") throw noSuchOverload();
  try {
    return new Duration(parseDurationNs(value));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw notConverted(value, "google.protobuf.Duration", error);
  }
}

export function toTimestamp(value: Value): Timestamp {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return checkedTimestamp(value * second);
  if (typeof value !== "string") throw noSuchOverload();
  const nanos = parseTimestamp(value);
  if (nanos === undefined) throw notConverted(value, "google.protobuf.Timestamp");
  return checkedTimestamp(nanos);
}

/** The nanoseconds since 1970 of an RFC 3339 time; undefined for what is none. */
export function parseTimestamp(text: string): bigint | undefined {
  const time = parseGoTime(text, timeLayout);
  if (typeof time === "string") return undefined;
  const fraction = /\.(?<digits>[0-9]+)/.exec(text)?.groups?.["digits"] ?? "";
  const seconds = BigInt(Math.floor(time.secondMs / 1000));
  return seconds * second + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

export function formatTimestamp({ nanos }: Timestamp): string {
  const seconds = floorDivide(nanos, second);
  const fraction = String(nanos - seconds * second)
    .padStart(9, "0")
    .replace(/0+$/, "");
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace(/^\+00/, "");
  return `${date}${fraction === "" ? "" : `.${fraction}`}Z`;
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

function notConverted(value: Value, to: string, cause?: unknown): EvaluationError {
  return new EvaluationError(`type conversion error from '${typeOf(value).name}' to '${to}'`, { cause });
}
