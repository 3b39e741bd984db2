import { wrapInt64 } from "./go-numbers.ts";
import { ceilDivide, powerOfTen } from "./quantity-math.ts";
import type { Quantity } from "./quantity.ts";

/** Go keeps decimal quantities of at most so many digits in an int64. */
const MOST_DIGITS = 18;
/** Powers of ten that Go multiplies an int64 with in one step, without a look at what comes of it. */
const AT_ONCE: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 9]);
/** Beyond this one int64(math.Pow10(n)) is the least int64. */
const MOST_POWER = 18;

/** All others are kept in billionths, as a number of any size. */
const NANO_DIGITS = 9;
const PER_MILLI = 10n ** 6n;
/** With so many zeros behind them the lowest 64 bits of billionths are nothing. */
const MOST_ZEROS = 64;
/** The power of ten that is beyond every double. */
const BEYOND_DOUBLES = 400;
/** Of a number and its suffix in powers of two, each of which counts as three. */
const MOST_BINARY_DIGITS = 14;
/** What Go sets larger quantities in powers of two to, in units. */
const MOST_BINARY = 2n ** 63n - 1n;

/**
 * Thousandths in 64 bits, as Go has them. Of too large a quantity the lowest bits are left, or nothing, as Go happens to
 * keep it.
 *
 * upstream: apimachinery/pkg/api/resource/quantity.go#ScaledValue
 */
export function milliValueInt64(quantity: Quantity): bigint {
  const { mantissa, exponent } = quantity;
  if (mantissa === 0n) return 0n;
  if (isCapped(quantity)) return wrapInt64(mantissa * 1_000n);
  return isInt64(quantity) ? milliOfInt64(mantissa, exponent + 3) : milliOfNano(mantissa, exponent);
}

function milliOfInt64(value: bigint, shift: number): bigint {
  if (shift < 0) return ceilDivide(value, powerOfTen(-shift));
  if (AT_ONCE.has(shift)) return wrapInt64(value * powerOfTen(shift));
  const scaled = shift > MOST_POWER ? undefined : value * powerOfTen(shift);
  return scaled === undefined || wrapInt64(scaled) !== scaled ? 0n : scaled;
}

/** upstream: scale_int.go#scaledValue takes every negative number for one of 64 bits, and rounds it up from zero. */
function milliOfNano(mantissa: bigint, exponent: number): bigint {
  if (exponent >= MOST_ZEROS) return 0n;
  const nano = mantissa * powerOfTen(exponent + NANO_DIGITS);
  const kept = mantissa < 0n ? wrapInt64(nano) : nano;
  const milli = kept / PER_MILLI;
  return wrapInt64(kept % PER_MILLI === 0n ? milli : milli + 1n);
}

function isInt64({ mantissa, exponent, format }: Quantity): boolean {
  return format === "BinarySI" ? exponent === 0 && isSmall(mantissa) : digitsOf(mantissa) <= MOST_DIGITS;
}

/** upstream: quantity.go#ParseQuantity, of a number with the largest suffix that it can have, as API servers write it. */
function isSmall(mantissa: bigint): boolean {
  let [number, suffix] = [mantissa, 0];
  for (; number % 1_024n === 0n; suffix++) number /= 1_024n;
  return digitsOf(number) + 3 * suffix <= MOST_BINARY_DIGITS;
}

function isCapped({ mantissa, exponent, format }: Quantity): boolean {
  return format === "BinarySI" && exponent === 0 && (mantissa === MOST_BINARY || mantissa === -MOST_BINARY);
}

function digitsOf(mantissa: bigint): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length;
}

/** The whole number; undefined where it is none, or is not kept as one. upstream: quantity.go#AsInt64 */
export function asInt64(quantity: Quantity): bigint | undefined {
  const { mantissa, exponent } = quantity;
  if (mantissa === 0n) return 0n;
  if (isCapped(quantity) || !isInt64(quantity) || exponent < 0 || exponent > MOST_POWER) return undefined;
  const value = mantissa * powerOfTen(exponent);
  return wrapInt64(value) === value ? value : undefined;
}

/** upstream: apimachinery/pkg/api/resource/quantity.go#AsApproximateFloat64, which multiplies doubles. */
export function approximateNumber(quantity: Quantity): number {
  const { mantissa, exponent } = quantity;
  if (mantissa === 0n) return 0;
  if (isCapped(quantity)) return Number(mantissa);
  if (isInt64(quantity))
    return exponent === 0 ? Number(mantissa) : Number(mantissa) * Number(`1e${exponent}`);
  if (exponent > BEYOND_DOUBLES) return mantissa < 0n ? -Infinity : Infinity;
  return Number(mantissa * powerOfTen(exponent + NANO_DIGITS)) * 1e-9;
}
