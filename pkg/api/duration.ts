/** Durations as Go writes them (1h30m, 1.5s, 100ms), in flags, annotations and metav1.Duration fields. */

import type { Int64 } from "./int64.ts";

const nsPer = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
} as const;

const units: ReadonlyMap<string, bigint> = new Map([
  ...Object.entries(nsPer),
  ["\u00b5s", nsPer.us],
  ["\u03bcs", nsPer.us],
]);

const maxNs = 2n ** 63n - 1n;
const MOST_SECONDS = maxNs / nsPer.s;

export class DurationError extends Error {
  readonly code = "InvalidDuration";
  constructor(message: string) {
    super(message);
    this.name = "DurationError";
  }
}

export function parseDurationNs(text: string): bigint {
  const invalid = (): DurationError => new DurationError(`time: invalid duration ${JSON.stringify(text)}`);
  const negative = text.startsWith("-");
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return 0n;
  if (rest === "") throw invalid();
  let total = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?/.exec(rest);
    const [number = "", whole = "", fraction = ""] = match ?? [];
    if (whole === "" && fraction === "") throw invalid();
    rest = rest.slice(number.length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? "";
    if (unit === "") throw new DurationError(`time: missing unit in duration ${JSON.stringify(text)}`);
    const scale = units.get(unit);
    if (scale === undefined) {
      throw new DurationError(
        `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`,
      );
    }
    rest = rest.slice(unit.length);
    total += BigInt(whole || "0") * scale + fractionNs(fraction, scale);
    // The least duration has no positive counterpart.
    if (total > maxNs + (negative ? 1n : 0n)) throw invalid();
  }
  return negative ? -total : total;
}

/**
 * Floating point, so that 0.3333333333333333333h is 20m as in Go; digits beyond an int64 are dropped.
 * upstream: time/format.go#leadingFraction
 */
function fractionNs(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > maxNs + 1n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** As Go's Duration.String: 1h0m0s, 1m30s, 1.5s, 250ms, 0s. */
export function formatDurationNs(ns: bigint): string {
  if (ns === 0n) return "0s";
  const sign = ns < 0n ? "-" : "";
  const abs = ns < 0n ? -ns : ns;
  if (abs < nsPer.us) return `${sign}${abs}ns`;
  if (abs < nsPer.ms) return `${sign}${decimal(abs, 3)}\u00b5s`;
  if (abs < nsPer.s) return `${sign}${decimal(abs, 6)}ms`;
  const seconds = `${decimal(abs % nsPer.m, 9)}s`;
  if (abs < nsPer.m) return sign + seconds;
  const minutes = `${(abs / nsPer.m) % 60n}m`;
  if (abs < nsPer.h) return sign + minutes + seconds;
  return `${sign}${abs / nsPer.h}h${minutes}${seconds}`;
}

/** value / 10^digits without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, "");
}

/**
 * Milliseconds of Go's time.Duration(seconds) * time.Second: nanoseconds in 64 bits, which wrap around after 292 years.
 */
export function secondsToMs(seconds: Int64): number {
  if (seconds >= -MOST_SECONDS && seconds <= MOST_SECONDS) return Number(seconds) * 1_000;
  return Number(BigInt.asIntN(64, BigInt(seconds) * nsPer.s)) / 1e6;
}

/** Milliseconds, with a fraction when the text is finer than that. */
export function parseDurationMs(text: string): number {
  return Number(parseDurationNs(text)) / 1e6;
}

export function formatDurationMs(ms: number): string {
  return formatDurationNs(BigInt(Math.round(ms * 1e6)));
}
