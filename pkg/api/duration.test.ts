import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDurationMs, formatDurationNs, parseDurationMs, parseDurationNs } from "./duration.ts";

const s = 1_000_000_000n;
const m = 60n * s;
const h = 60n * m;

describe("parseDurationNs", () => {
  test.each<[string, bigint]>([
    ["0", 0n],
    ["5s", 5n * s],
    ["30s", 30n * s],
    ["1478s", 1478n * s],
    ["-5s", -5n * s],
    ["+5s", 5n * s],
    ["-0", 0n],
    ["+0", 0n],
    ["5.0s", 5n * s],
    ["5.6s", 5_600_000_000n],
    ["5.s", 5n * s],
    [".5s", s / 2n],
    ["1.0s", s],
    ["1.004s", 1_004_000_000n],
    ["100.00100s", 100_001_000_000n],
    ["10ns", 10n],
    ["11us", 11_000n],
    ["12\u00b5s", 12_000n],
    ["12\u03bcs", 12_000n],
    ["13ms", 13_000_000n],
    ["15m", 15n * m],
    ["16h", 16n * h],
    ["3h30m", 3n * h + 30n * m],
    ["10.5s4m", 4n * m + 10_500_000_000n],
    ["-2m3.4s", -(2n * m + 3_400_000_000n)],
    ["1h2m3s4ms5us6ns", h + 2n * m + 3n * s + 4_005_006n],
    ["39h9m14.425s", 39n * h + 9n * m + 14_425_000_000n],
    ["52763797000ns", 52_763_797_000n],
    ["0.3333333333333333333h", 20n * m],
    ["9223372036854775807ns", 9_223_372_036_854_775_807n],
    ["9223372036s854ms775us807ns", 9_223_372_036_854_775_807n],
    ["-9223372036854775808ns", -9_223_372_036_854_775_808n],
    ["0.9223372036854775807h", 3_320_413_933_267n],
    ["0.830103483285477580700h", 2_988_372_539_827n],
  ])("%s", (text, ns) => {
    expect(parseDurationNs(text)).toBe(ns);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["3", 'time: missing unit in duration "3"'],
    ["-", 'time: invalid duration "-"'],
    ["s", 'time: invalid duration "s"'],
    [".", 'time: invalid duration "."'],
    [".s", 'time: invalid duration ".s"'],
    ["3000000h", 'time: invalid duration "3000000h"'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["-9223372036854775809ns", 'time: invalid duration "-9223372036854775809ns"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1h 2m", 'time: unknown unit "h " in duration "1h 2m"'],
  ])("refuses %j in Go's words", (text, message) => {
    expect(() => parseDurationNs(text)).toThrow(message);
  });
});

describe("formatDurationNs", () => {
  test.each<[bigint, string]>([
    [0n, "0s"],
    [1n, "1ns"],
    [1100n, "1.1\u00b5s"],
    [2_200_000n, "2.2ms"],
    [3_300_000_000n, "3.3s"],
    [4n * m + 5n * s, "4m5s"],
    [4n * m + 5_001_000_000n, "4m5.001s"],
    [5n * h + 6n * m + 7_001_000_000n, "5h6m7.001s"],
    [8n * m + 1n, "8m0.000000001s"],
    [24n * h, "24h0m0s"],
    [10n * m, "10m0s"],
    [-90n * s, "-1m30s"],
    [9_223_372_036_854_775_807n, "2562047h47m16.854775807s"],
    [-9_223_372_036_854_775_808n, "-2562047h47m16.854775808s"],
  ])("%d is %s", (ns, text) => {
    expect(formatDurationNs(ns)).toBe(text);
  });

  test("what is written is read back", () => {
    fc.assert(
      // Go's own parser rounds the fractions of longer durations, so seconds carry whole milliseconds here.
      fc.property(fc.bigInt(-9_000_000_000_000n, 9_000_000_000_000n), (ms) => {
        expect(parseDurationNs(formatDurationNs(ms * 1_000_000n))).toBe(ms * 1_000_000n);
      }),
    );
  });
});

test("milliseconds keep fractions", () => {
  expect(parseDurationMs("1m0.0005s")).toBe(60_000.5);
  expect(formatDurationMs(1500)).toBe("1.5s");
  expect(formatDurationMs(0.5)).toBe("500\u00b5s");
});
