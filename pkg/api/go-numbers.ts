const MIN_INT32 = -(2 ** 31);
const MIN_INT64 = -(2n ** 63n);

/** Go's int32(float64) on amd64: what does not fit, and what is no number, becomes the least int32. */
export function int32OfDouble(value: number): number {
  const whole = Math.trunc(value);
  return whole > MIN_INT32 && whole < -MIN_INT32 ? whole + 0 : MIN_INT32;
}

/** Go's int64(float64) on amd64: what does not fit, and what is no number, becomes the least int64. */
export function int64OfDouble(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : MIN_INT64;
}

/** The lowest 64 bits, as all that Go does with an int64 gives. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** Go's int32(int64): the lowest 32 bits. */
export function int32OfInt64(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}
