// Arguments of functions, as what they must be. The checker has seen to it, unless an argument's type is dynamic.

import { noSuchOverload } from "../operations.ts";
import { type Duration, isList, type ListValue, Timestamp, type Value } from "../values.ts";

export function asText(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw noSuchOverload();
}

export function asInt(value: Value | undefined): bigint {
  if (typeof value === "bigint") return value;
  throw noSuchOverload();
}

export function asBool(value: Value | undefined): boolean {
  if (typeof value === "boolean") return value;
  throw noSuchOverload();
}

export function asList(value: Value | undefined): ListValue {
  if (value !== undefined && isList(value)) return value;
  throw noSuchOverload();
}

export function asTimestamp(value: Value | undefined): Timestamp {
  if (value instanceof Timestamp) return value;
  throw noSuchOverload();
}

/** A value that is an instance of a class of values. */
export function asInstance<T extends Duration | Value>(
  value: Value | undefined,
  type: abstract new (...args: never[]) => T,
): T {
  if (value instanceof type) return value;
  throw noSuchOverload();
}
