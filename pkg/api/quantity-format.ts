import { powerOfTen } from "./quantity-math.ts";

/** How a quantity was written, and so how it is written again: 12M, 12Mi or 12e6. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

interface QuantityParts {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** From 10^-9 to 10^18 in steps of three. */
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

/**
 * The canonical form: no fraction, the largest suffix that allows this, and no precision lost. A binary quantity that
 * has a fraction or lies within ±1024 is written with decimal suffixes.
 */
export function formatQuantity({ mantissa, exponent, format }: QuantityParts): string {
  if (mantissa === 0n) return "0";
  const [digits, zeros] = stripFactors(mantissa, 10n, Infinity);
  const scale = exponent + zeros;
  if (format === "BinarySI" && scale >= 0) {
    const whole = digits * powerOfTen(scale);
    if (whole <= -1024n || whole >= 1024n) {
      const [amount, thousands] = stripFactors(whole, 1024n, binarySuffixes.length - 1);
      return `${amount}${binarySuffixes[thousands]}`;
    }
  }
  return format === "DecimalExponent" ? exponentForm(digits, scale) : suffixForm(digits, scale);
}

function exponentForm(digits: bigint, scale: number): string {
  const shown = Math.floor(scale / 3) * 3;
  return `${digits * powerOfTen(scale - shown)}${shown === 0 ? "" : `e${shown}`}`;
}

/** Beyond the largest suffix digits are written out; upstream drops the suffix there, which changes the value. */
function suffixForm(digits: bigint, scale: number): string {
  const shown = Math.min(Math.floor(scale / 3) * 3, 18);
  if (shown < -9) return exponentForm(digits, scale);
  return `${digits * powerOfTen(scale - shown)}${decimalSuffixes[shown / 3 + 3]}`;
}

/** Divides by `factor` as often as it goes, at most `limit` times. */
function stripFactors(value: bigint, factor: bigint, limit: number): [rest: bigint, times: number] {
  let rest = value;
  let times = 0;
  while (times < limit && rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [rest, times];
}
