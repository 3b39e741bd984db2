// What the operators do with values.

import { lengthOf } from "./code-points.ts";
import { typeOf } from "./type-of.ts";
import { formatType } from "./types.ts";
import {
  ArrayList,
  Duration,
  EvaluationError,
  GrowingList,
  isList,
  isMap,
  isOpaque,
  keyText,
  type ListValue,
  type MapValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;
/** The years 1 to 9999, in nanoseconds. */
const minTimestamp = -62_135_596_800_000_000_000n;
const maxTimestamp = 253_402_300_799_999_999_999n;

export const noSuchOverload = (): EvaluationError => new EvaluationError("no such overload");

export function checkedInt(value: bigint, message = "integer overflow"): bigint {
  if (value < minInt || value > maxInt) throw new EvaluationError(message);
  return value;
}

export function checkedUint(value: bigint, message = "unsigned integer overflow"): Uint {
  if (value < 0n || value > maxUint) throw new EvaluationError(message);
  return new Uint(value);
}

export function checkedTimestamp(nanos: bigint): Timestamp {
  if (nanos < minTimestamp || nanos > maxTimestamp) throw new EvaluationError("timestamp overflow");
  return new Timestamp(nanos);
}

export const checkedDuration = (nanos: bigint): Duration =>
  new Duration(checkedInt(nanos, "duration overflow"));

export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  // No number is like another of its type; NaN is not even like itself.
  if (typeof a !== "object" && typeof a === typeof b) return false;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type.name === b.type.name;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
  }
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  return isOpaque(a) && isOpaque(b) && a.type.name === b.type.name && a.equals(b);
}

function equalLists(a: ListValue, b: ListValue): boolean {
  const { size } = a;
  if (size !== b.size) return false;
  if (a.equals !== undefined) return a.equals(b);
  for (let at = 0; at < size; at++) if (!equal(a.at(at), b.at(at))) return false;
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size || a.type?.name !== b.type?.name) return false;
  for (const key of a.keys()) {
    const [mine, other] = [a.get(key), b.get(key)];
    if (mine === undefined || other === undefined || !equal(mine, other)) return false;
  }
  return true;
}

type Numeric = bigint | number | Uint;

const isNumeric = (value: Value): value is Numeric =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

/** NaN is neither more nor less. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const [x, y] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  // With a double they are compared as doubles.
  const [left, right] = typeof x === typeof y ? [x, y] : [Number(x), Number(y)];
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : undefined;
}

/** Negative, zero or positive. */
export function compare(a: Value, b: Value): number {
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b);
    if (order === undefined) throw new EvaluationError("NaN values cannot be ordered");
    return order;
  }
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos - b.nanos);
  throw noSuchOverload();
}

const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);

/** As their bytes in UTF-8 are ordered: surrogates, which only JavaScript has, come last. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [mine, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (mine !== other) return inUtf8(mine) - inUtf8(other);
  }
  return a.length - b.length;
}

const inUtf8 = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;

export function add(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a + b);
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value + b.value);
  if (a instanceof GrowingList && isList(b)) return a.append(b);
  if (isList(a) && isList(b)) return a.plus?.(b) ?? new ArrayList([...a, ...b]);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array(Buffer.concat([a, b]));
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return checkedTimestamp(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return checkedTimestamp(a.nanos + b.nanos);
  throw noSuchOverload();
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return checkedTimestamp(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(checkedInt(a.nanos - b.nanos));
  throw noSuchOverload();
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value * b.value);
  throw noSuchOverload();
}

export function divide(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return a / b;
  if (isZero(b)) throw new EvaluationError("division by zero");
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a / b);
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value / b.value);
  throw noSuchOverload();
}

export function modulo(a: Value, b: Value): Value {
  if (isZero(b)) throw new EvaluationError("modulus by zero");
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (a === minInt && b === -1n) throw new EvaluationError("integer overflow");
    return a % b;
  }
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value % b.value);
  throw noSuchOverload();
}

const isZero = (value: Value): boolean => value === 0n || (value instanceof Uint && value.value === 0n);

export function negate(value: Value): Value {
  if (typeof value === "bigint") return checkedInt(-value);
  if (typeof value === "number") return -value;
  throw noSuchOverload();
}

/** Letters of a string, bytes, elements or entries. */
export function sizeOf(value: Value): bigint {
  if (typeof value === "string") return BigInt(lengthOf(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (isList(value) || isMap(value)) return BigInt(value.size);
  throw noSuchOverload();
}

export function contains(item: Value, container: Value): boolean {
  if (isMap(container)) return container.get(item) !== undefined;
  if (!isList(container)) throw noSuchOverload();
  const { size } = container;
  for (let at = 0; at < size; at++) if (equal(item, container.at(at))) return true;
  return false;
}

/** An element or the value of a key; undefined where there is none. */
export function lookUp(container: Value, key: Value): Value | undefined {
  if (isMap(container)) {
    const found = container.get(key);
    return found === undefined ? container.fallback : found;
  }
  if (!isList(container)) return undefined;
  const index = indexFrom(key);
  return index >= 0n && index < BigInt(container.size) ? container.at(Number(index)) : undefined;
}

function indexFrom(key: Value): bigint {
  if (typeof key === "bigint") return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === "number" && Number.isInteger(key)) return BigInt(key);
  if (typeof key === "number") throw new EvaluationError(`unsupported index value ${key} in list`);
  throw new EvaluationError(`unsupported index type '${formatType(typeOf(key))}' in list`);
}

export function index(container: Value, key: Value): Value {
  const found = lookUp(container, key);
  if (found !== undefined) return found;
  if (isList(container)) throw new EvaluationError(`index out of bounds: ${indexFrom(key)}`);
  throw new EvaluationError(`no such key: ${showKey(key)}`);
}

/** A key without the letter of its type. */
export const showKey = (key: Value): string => keyText(key)?.slice(1) ?? "";
