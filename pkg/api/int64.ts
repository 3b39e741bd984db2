/**
 * A whole number of 64 bits, as Go's int64: a number where that is exact, a bigint beyond 2^53. Each value has one form
 * only, which toInt64 gives, so that === compares by value. Types keep the two from being mixed in arithmetic: it is
 * done on bigints.
 */
export type Int64 = number | bigint;

declare global {
  interface JSON {
    /** What JSON.stringify writes as it stands. */
    rawJSON(text: string): unknown;
  }
}

/*
 * JSON.stringify throws at bigints unless told what to write. Told here, everything that writes objects is: bodies, logs,
 * keys of caches, messages. A function of our own beside it would be forgotten somewhere, and for somebody's one object
 * that place would fail. Replacers, the other way, make all objects slow.
 */
// oxlint-disable-next-line no-extend-native -- nothing that worked before works otherwise
Object.defineProperty(BigInt.prototype, "toJSON", {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    return JSON.rawJSON(this.toString());
  },
});

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const DECIMAL = /^([+-]?)0*([0-9]{1,19})$/;

/** Of a result of arithmetic: what does not fit in 64 bits wraps around, as in Go. */
export function toInt64(value: bigint): Int64 {
  const wrapped = BigInt.asIntN(64, value);
  const short = Number(wrapped);
  return Number.isSafeInteger(short) ? short : wrapped;
}

export function addInt64(a: Int64, b: Int64): Int64 {
  return toInt64(BigInt(a) + BigInt(b));
}

/** A decimal as Go's strconv.ParseInt reads it with 64 bits; undefined where that fails, for want of bits too. */
export function parseInt64(text: string): bigint | undefined {
  // Without more digits than 64 bits have, so that a long text costs nothing.
  const [, sign, digits] = DECIMAL.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  return value >= MIN && value <= MAX ? value : undefined;
}

/** A decimal as Go's strconv.ParseInt reads it with 32 bits. */
export function parseInt32(text: string): number | undefined {
  const value = parseInt64(text);
  return value !== undefined && BigInt.asIntN(32, value) === value ? Number(value) : undefined;
}

/** For sorting: from low to high. */
export function compareInt64(a: Int64, b: Int64): number {
  return a < b ? -1 : Number(a > b);
}

export function isInt32(value: unknown): value is number {
  return typeof value === "number" && (value | 0) === value;
}

/** Whether it is an Int64, in its one form. */
export function isInt64(value: unknown): value is Int64 {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return (
    typeof value === "bigint" && BigInt.asIntN(64, value) === value && typeof toInt64(value) === "bigint"
  );
}
