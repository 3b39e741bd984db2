import { wrapInt64 } from "./go-numbers.ts";
import { ceilDivide, powerOfTen } from "./quantity-math.ts";
import type { Quantity } from "./quantity.ts";

/** Go keeps decimal quantities of at most so many digits in an int64. */
const MOST_DIGITS = 18;
/** Powers of ten that Go multiplies an int64 with in one step, without a look at what comes of it. */
const AT_ONCE: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 9]);
/** Beyond this one int64(math.Pow10(n)) is the least int64. */
const MOST_POWER = 18;

/**
 * Thousandths in 64 bits, as Go has them. Of too large a quantity the lowest bits are left, or nothing, as Go happens to
 * keep it.
 *
 * upstream: apimachinery/pkg/api/resource/quantity.go#ScaledValue
 */
export function milliValueInt64({ mantissa, exponent, format }: Quantity): bigint {
  const shift = exponent + 3;
  if (mantissa === 0n) return 0n;
  const isInt64 = format !== "BinarySI" && digitsOf(mantissa) <= MOST_DIGITS;
  if (shift < 0) return isInt64 ? ceilDivide(mantissa, powerOfTen(-shift)) : dividedUp(mantissa, -shift);
  if (isInt64 && !AT_ONCE.has(shift)) {
    const value = shift > MOST_POWER ? undefined : mantissa * powerOfTen(shift);
    return value === undefined || wrapInt64(value) !== value ? 0n : value;
  }
  return wrapInt64(mantissa * (shift > MOST_POWER ? LEAST : powerOfTen(shift)));
}

const LEAST = -(2n ** 63n);

/** What is negative is rounded up, too. */
function dividedUp(mantissa: bigint, digits: number): bigint {
  const divisor = powerOfTen(digits);
  const quotient = mantissa / divisor;
  return wrapInt64(mantissa > 0n && mantissa % divisor !== 0n ? quotient + 1n : quotient);
}

function digitsOf(mantissa: bigint): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length;
}

/** upstream: apimachinery/pkg/api/resource/quantity.go#AsApproximateFloat64, which multiplies doubles. */
export function approximateNumber({ mantissa, exponent }: Quantity): number {
  const base = Number(mantissa);
  return exponent === 0 ? base : base * Number(`1e${exponent}`);
}
