import type { Int64 } from "./int64.ts";
import type { QuantityFormat } from "./quantity-format.ts";
import { Quantity, zeroQuantity } from "./quantity.ts";
import { ceilDivide, powerOfTen } from "./quantity-math.ts";

/** A quantity as it stands in JSON: numbers are allowed. */
export type WrittenQuantity = string | Int64;

export class QuantityError extends Error {
  readonly code = "InvalidQuantity";
}

const pattern =
  /^(?<sign>[+-]?)(?<whole>[0-9]*)(?:\.(?<fraction>[0-9]*))?(?<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)$/;
const maxInt64 = 2n ** 63n - 1n;
const nano = -9;

interface Scale {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const scales: ReadonlyMap<string, Scale> = new Map(
  [
    ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map(
      (suffix, index) => [suffix, 10, 3 * index - 9, "DecimalSI"] as const,
    ),
    ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map(
      (suffix, index) => [suffix, 2, 10 * index + 10, "BinarySI"] as const,
    ),
  ].map(([suffix, base, exponent, format]) => [suffix, { base, exponent, format }]),
);

export function isWrittenQuantity(value: unknown): value is WrittenQuantity {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

/** Throws a QuantityError. */
export function parseQuantity(input: WrittenQuantity): Quantity {
  const text = String(input);
  const groups = text === "" ? undefined : pattern.exec(text)?.groups;
  if (groups === undefined) {
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  // upstream: pkg/api/resource/quantity.go#parseQuantityString lets a number without any digits pass as zero.
  const whole = (groups["whole"] ?? "").replace(/^0+/, "") || "0";
  const fraction = groups["fraction"] ?? "";
  const scale = scaleOf(groups["suffix"] ?? "");
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return scale.format === "DecimalSI" ? zeroQuantity : new Quantity(0n, 0, scale.format);

  const amount = scale.base === 2 ? digits << BigInt(scale.exponent) : digits;
  const exponent = (scale.base === 2 ? 0 : scale.exponent) - fraction.length;
  const keptText = isCanonical(whole, fraction, scale) ? text : undefined;
  return limited(groups["sign"] === "-" ? -amount : amount, exponent, scale.format, keptText);
}

/** Rounds away from zero to nano, and caps binary quantities at the largest int64. */
function limited(
  amount: bigint,
  exponent: number,
  format: QuantityFormat,
  text: string | undefined,
): Quantity {
  const sign = amount < 0n ? -1n : 1n;
  const [mantissa, scale] = roundedToNano(sign * amount, exponent);
  if (format !== "BinarySI") return new Quantity(sign * mantissa, scale, format, text);
  const unit = powerOfTen(-scale);
  if (mantissa > maxInt64 * unit) return new Quantity(sign * maxInt64, 0, format);
  // A fraction of one byte has no binary form.
  return new Quantity(sign * mantissa, scale, mantissa < unit ? "DecimalSI" : format, text);
}

function roundedToNano(amount: bigint, exponent: number): [mantissa: bigint, exponent: number] {
  if (exponent >= nano) return [amount, exponent];
  // Far below nano there is nothing to divide; a hostile exponent must not make a power of ten with a billion digits.
  const digits = String(amount).length;
  if (digits + exponent <= nano) return [1n, nano];
  return [ceilDivide(amount, powerOfTen(nano - exponent)), nano];
}

function scaleOf(suffix: string): Scale {
  const scale = scales.get(suffix);
  if (scale !== undefined) return scale;
  const exponent = /^[eE](?<exponent>[+-]?[0-9]+)$/.exec(suffix)?.groups?.["exponent"];
  const parsed = exponent === undefined ? undefined : Number(exponent);
  if (parsed === undefined || Math.abs(parsed) > 2 ** 31 - 1) {
    throw new QuantityError("unable to parse quantity's suffix");
  }
  return { base: 10, exponent: parsed, format: "DecimalExponent" };
}

/**
 * Is the text kept for writing the quantity again? upstream: pkg/api/resource/quantity.go#ParseQuantity keeps it under
 * these conditions alone, so that "01" and "1.500" come out as they went in.
 */
function isCanonical(whole: string, fraction: string, { base, exponent }: Scale): boolean {
  if (base === 2) {
    const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
    const digits = BigInt(whole);
    return (
      fraction === "" && precision >= 0 && digits << BigInt(exponent) <= maxInt64 && (digits & 7n) !== 0n
    );
  }
  const shifted = whole + fraction;
  const scale = exponent - fraction.length;
  return (
    shifted.length <= 18 &&
    scale >= nano &&
    scale % 3 === 0 &&
    !shifted.endsWith("000") &&
    !shifted.startsWith("0")
  );
}
