/**
 * A resource.Quantity as Go's memory holds it after decoding, in the form of go-dump.ts. There are two forms: an int64
 * and a decimal scale where the value fits the fast path of the parser, otherwise an arbitrary-precision decimal.
 * upstream: apimachinery/pkg/api/resource/quantity.go#ParseQuantity
 */

import type { WrittenQuantity } from "./quantity-parse.ts";

interface Parts {
  readonly negative: boolean;
  /** Digits before the point without leading zeros, and after it. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

interface Suffix {
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
  readonly exponent: number;
}

const decimalSuffixes = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const binarySuffixes = new Map(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((name, i) => [name, 10 * (i + 1)]));

const maxInt64 = 2n ** 63n - 1n;
const nanoScale = 9;

export function dumpQuantity(quantity: WrittenQuantity | null | undefined): string {
  // An unset quantity is the zero value, which has not even a format.
  if (quantity === undefined || quantity === null) return dumpInt64(0n, 0, "", "");
  const text = String(quantity).trim();
  if (text === "0") return dumpInt64(0n, 0, text, "DecimalSI");
  const parts = split(text);
  const { format, exponent } = suffixOf(parts.suffix);
  return fastPath(text, parts, format, exponent) ?? dumpDecimal(parts, format, exponent);
}

function split(text: string): Parts {
  const match = /^([-+]?)(\d*)(?:\.(\d*))?([A-Za-z].*)?$/.exec(text);
  if (match === null) throw new Error(`not a quantity: ${JSON.stringify(text)}`);
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  return { negative: sign === "-", whole: whole.replace(/^0+/, "") || "0", fraction, suffix };
}

function suffixOf(suffix: string): Suffix {
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { format: "DecimalSI", exponent: decimal };
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return { format: "BinarySI", exponent: binary };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined) throw new Error(`not a quantity's suffix: ${JSON.stringify(suffix)}`);
  return { format: "DecimalExponent", exponent: Number(exponent) };
}

function fastPath(text: string, parts: Parts, format: string, exponent: number): string | undefined {
  const { negative, whole, fraction } = parts;
  const digits = whole + fraction;
  const binary = format === "BinarySI";
  if (binary && fraction !== "") return undefined;
  const precision = binary ? 14 - whole.length - Math.trunc((exponent * 3) / 10) : 18 - digits.length;
  const scale = (binary ? 0 : exponent) - fraction.length;
  if (precision < 0 || scale < -nanoScale) return undefined;
  const value = BigInt(digits) * (binary ? 2n ** BigInt(exponent) : 1n);
  // The parser keeps a text that is surely canonical; any other is written anew when it is asked for.
  const canonical = binary
    ? exponent % 10 === 0 && BigInt(digits) % 8n !== 0n
    : scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return dumpInt64(negative ? -value : value, scale, canonical ? text : "", format);
}

function dumpInt64(value: bigint, scale: number, text: string, format: string): string {
  return dump(`value:(int64)${value} scale:(resource.Scale)${scale}`, "(*inf.Dec)<nil>", text, format);
}

function dumpDecimal(parts: Parts, declared: string, exponent: number): string {
  let unscaled = BigInt(parts.whole + parts.fraction);
  let scale = parts.fraction.length;
  if (declared === "BinarySI") unscaled *= 2n ** BigInt(exponent);
  else scale -= exponent;
  if (unscaled !== 0n) {
    unscaled = rescale(unscaled, scale);
    scale = nanoScale;
  }
  let format = declared;
  if (declared === "BinarySI" && unscaled > maxInt64 * 10n ** BigInt(scale))
    [unscaled, scale] = [maxInt64, 0];
  // What is finer than one is no multiple of a power of two.
  if (declared === "BinarySI" && unscaled > 0n && unscaled < 10n ** BigInt(scale)) format = "DecimalSI";
  const words = wordsOf(unscaled);
  const magnitude = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  const big = `(big.Int){neg:(bool)${parts.negative && unscaled !== 0n} abs:(big.nat)${magnitude}}`;
  const decimal = `(*inf.Dec){unscaled:${big} scale:(inf.Scale)${scale}}`;
  return dump("value:(int64)0 scale:(resource.Scale)0", decimal, "", format);
}

/** To nanos; what is finer is rounded away from zero. */
function rescale(unscaled: bigint, scale: number): bigint {
  if (scale <= nanoScale) return unscaled * 10n ** BigInt(nanoScale - scale);
  const divisor = 10n ** BigInt(scale - nanoScale);
  return (unscaled + divisor - 1n) / divisor;
}

/** The 64-bit words of a big.Int, the least first. */
function wordsOf(value: bigint): bigint[] {
  const words: bigint[] = [];
  for (let rest = value; rest > 0n; rest >>= 64n) words.push(rest & (2n ** 64n - 1n));
  return words;
}

function dump(int64: string, decimal: string, text: string, format: string): string {
  return (
    `{i:(resource.int64Amount){${int64}} d:(resource.infDecAmount){Dec:${decimal}} ` +
    `s:(string)${text} Format:(resource.Format)${format}}`
  );
}
