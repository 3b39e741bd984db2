export function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Divides and rounds away from zero. */
export function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}
