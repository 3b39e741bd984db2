import { ceilDivide, powerOfTen } from "./quantity-math.ts";
import type { QuantityFormat } from "./quantity-format.ts";
import { formatQuantity } from "./quantity-format.ts";

/**
 * An exact amount of a resource: mantissa × 10^exponent. Immutable.
 * `toString` gives the canonical form, or what was parsed where that counts as canonical.
 */
export class Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  #text: string | undefined;

  constructor(mantissa: bigint, exponent = 0, format: QuantityFormat = "DecimalSI", text?: string) {
    this.mantissa = mantissa;
    this.exponent = exponent;
    this.format = format;
    this.#text = text;
  }

  /** Where this one is zero, the sum is written in the other's format. */
  add(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a + b);
  }

  sub(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a - b);
  }

  multiply(factor: bigint | number): Quantity {
    return new Quantity(this.mantissa * BigInt(factor), this.exponent, this.format);
  }

  negate(): Quantity {
    return new Quantity(-this.mantissa, this.exponent, this.format);
  }

  /** Below, equal to, or above zero as this is less than, equal to, or more than `other`. */
  compare(other: Quantity): number {
    const signs = this.sign() - other.sign();
    if (signs !== 0) return Math.sign(signs);
    // The number of digits decides before anything is scaled: 1e2147483647 must not be written out.
    const magnitudes = this.#magnitude() - other.#magnitude();
    if (magnitudes !== 0) return Math.sign(magnitudes) * this.sign();
    const exponent = Math.min(this.exponent, other.exponent);
    const difference = this.#mantissaAt(exponent) - other.#mantissaAt(exponent);
    if (difference === 0n) return 0;
    return difference < 0n ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  sign(): -1 | 0 | 1 {
    if (this.mantissa === 0n) return 0;
    return this.mantissa < 0n ? -1 : 1;
  }

  isZero(): boolean {
    return this.mantissa === 0n;
  }

  /** In whole units, rounded away from zero. */
  value(): number {
    return Number(this.scaledValue(0));
  }

  /** In thousandths, rounded away from zero. */
  milliValue(): number {
    return Number(this.scaledValue(-3));
  }

  /** In units of 10^exponent, rounded away from zero. */
  scaledValue(exponent: number): bigint {
    if (this.exponent >= exponent) return this.#mantissaAt(exponent);
    return ceilDivide(this.mantissa, powerOfTen(exponent - this.exponent));
  }

  roundUp(exponent: number): Quantity {
    if (this.exponent >= exponent) return this;
    return new Quantity(this.scaledValue(exponent), exponent, this.format);
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(`${this.mantissa}e${this.exponent}`);
  }

  toString(): string {
    this.#text ??= formatQuantity(this);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  #combine(other: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
    const format = this.isZero() ? other.format : this.format;
    if (other.isZero()) return new Quantity(this.mantissa, this.exponent, format);
    if (this.isZero()) return new Quantity(operation(0n, other.mantissa), other.exponent, format);
    const exponent = Math.min(this.exponent, other.exponent);
    return new Quantity(operation(this.#mantissaAt(exponent), other.#mantissaAt(exponent)), exponent, format);
  }

  /** `exponent` is at most this quantity's own. */
  #mantissaAt(exponent: number): bigint {
    return this.mantissa * powerOfTen(this.exponent - exponent);
  }

  /** The position of the leading digit. */
  #magnitude(): number {
    return this.mantissa === 0n ? 0 : String(this.mantissa).replace("-", "").length + this.exponent;
  }
}

export const zeroQuantity = new Quantity(0n);
