/** Bounds of a histogram, from the first, each twice the one before. */
export function doublingBuckets(first: number, count: number): readonly number[] {
  return growingBuckets(first, 2, count);
}

/** Bounds of a histogram, from the first, each `factor` times the one before. */
export function growingBuckets(first: number, factor: number, count: number): readonly number[] {
  // Without the last digits of binary fractions: 0.1, 0.2, … 819.2.
  return Array.from({ length: count }, (_, power) => Number((first * factor ** power).toFixed(3)));
}
