import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addInt64, compareInt64, isInt32, isInt64, parseInt32, parseInt64, toInt64 } from "./int64.ts";

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

describe("a decimal of 64 bits", () => {
  // upstream: strconv/atoi_test.go, parseInt64Tests
  test.each<[string, bigint | undefined]>([
    ["", undefined],
    ["0", 0n],
    ["-0", 0n],
    ["+0", 0n],
    ["1", 1n],
    ["-1", -1n],
    ["+1", 1n],
    ["12345", 12345n],
    ["012345", 12345n],
    ["000000000000000000000000000012345", 12345n],
    ["98765432100", 98765432100n],
    ["9223372036854775807", MAX],
    ["-9223372036854775807", -MAX],
    ["9223372036854775808", undefined],
    ["-9223372036854775808", MIN],
    ["-9223372036854775809", undefined],
    ["99999999999999999999", undefined],
    ["1_000", undefined],
    ["0x10", undefined],
    ["1e3", undefined],
    ["1.0", undefined],
    [" 1", undefined],
    ["1 ", undefined],
    ["1\n", undefined],
    ["+-1", undefined],
    ["-", undefined],
    ["12345x", undefined],
  ])("%j", (text, expected) => {
    expect(parseInt64(text)).toBe(expected);
  });

  test("as long as somebody likes", () => {
    expect(parseInt64("9".repeat(1_000_000))).toBeUndefined();
    expect(parseInt64("0".repeat(1_000_000) + "7")).toBe(7n);
  });
});

test.each<[string, number | undefined]>([
  ["2147483647", 2 ** 31 - 1],
  ["2147483648", undefined],
  ["-2147483648", -(2 ** 31)],
  ["-2147483649", undefined],
  ["4294967296", undefined],
  ["9007199254740993", undefined],
  ["-0", 0],
  ["x", undefined],
])("a decimal of 32 bits: %j", (text, expected) => {
  expect(parseInt32(text)).toBe(expected);
});

test("each value has one form, and === compares by value", () => {
  const int64 = fc.bigInt({ min: MIN, max: MAX });
  fc.assert(
    fc.property(int64, int64, (a, b) => {
      const [x, y] = [toInt64(a), toInt64(b)];
      expect(isInt64(x)).toBe(true);
      expect(typeof x === "number").toBe(a >= -(2n ** 53n) + 1n && a <= 2n ** 53n - 1n);
      expect(BigInt(x)).toBe(a);
      expect(x === y).toBe(a === b);
      expect(Math.sign(compareInt64(x, y))).toBe(a < b ? -1 : Number(a > b));
    }),
  );
});

test("sums wrap around, as in Go", () => {
  expect(addInt64(1, 2)).toBe(3);
  expect(addInt64(2 ** 53 - 1, 1)).toBe(2n ** 53n);
  expect(addInt64(2n ** 53n, -1)).toBe(2 ** 53 - 1);
  expect(addInt64(MAX, 1)).toBe(MIN);
});

test("what is no whole number, or too large, or not in its form, is no Int64", () => {
  for (const value of [0.5, 2 ** 53, 1e300, Number.NaN, "1", null, MAX + 1n, MIN - 1n, 5n]) {
    expect(isInt64(value), String(value)).toBe(false);
  }
  expect([0, -1, 2 ** 31 - 1, -(2 ** 31)].every(isInt32)).toBe(true);
  expect([2 ** 31, -(2 ** 31) - 1, 0.5, "1", 5n].some(isInt32)).toBe(false);
});
