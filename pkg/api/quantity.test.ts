import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { QuantityFormat } from "./quantity-format.ts";
import { Quantity, zeroQuantity } from "./quantity.ts";
import { parseQuantity, QuantityError } from "./quantity-parse.ts";

type Parts = [mantissa: bigint, exponent: number, format: QuantityFormat];
const ki = 1024n;
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

function decimal(mantissa: bigint, exponent = 0): Parts {
  return [mantissa, exponent, "DecimalSI"];
}
function binary(mantissa: bigint, exponent = 0): Parts {
  return [mantissa, exponent, "BinarySI"];
}
function power(mantissa: bigint, exponent = 0): Parts {
  return [mantissa, exponent, "DecimalExponent"];
}

const parsed: [input: string, ...Parts][] = [
  ["0", ...decimal(0n)],
  ["0n", ...decimal(0n)],
  ["0u", ...decimal(0n)],
  ["0m", ...decimal(0n)],
  ["0Ki", ...binary(0n)],
  ["0k", ...decimal(0n)],
  ["0Mi", ...binary(0n)],
  ["0M", ...decimal(0n)],
  ["0Gi", ...binary(0n)],
  ["0G", ...decimal(0n)],
  ["0Ti", ...binary(0n)],
  ["0T", ...decimal(0n)],
  ["1", ...decimal(1n)],
  ["1Ki", ...binary(ki)],
  ["8Ki", ...binary(8n * ki)],
  ["7Mi", ...binary(7n * ki ** 2n)],
  ["6Gi", ...binary(6n * ki ** 3n)],
  ["5Ti", ...binary(5n * ki ** 4n)],
  ["4Pi", ...binary(4n * ki ** 5n)],
  ["3Ei", ...binary(3n * ki ** 6n)],
  ["10Ti", ...binary(10n * ki ** 4n)],
  ["100Ti", ...binary(100n * ki ** 4n)],
  ["5n", ...decimal(5n, -9)],
  ["4u", ...decimal(4n, -6)],
  ["3m", ...decimal(3n, -3)],
  ["9", ...decimal(9n)],
  ["8k", ...decimal(8n, 3)],
  ["50k", ...decimal(5n, 4)],
  ["7M", ...decimal(7n, 6)],
  ["6G", ...decimal(6n, 9)],
  ["5T", ...decimal(5n, 12)],
  ["40T", ...decimal(4n, 13)],
  ["300T", ...decimal(3n, 14)],
  ["2P", ...decimal(2n, 15)],
  ["1E", ...decimal(1n, 18)],
  ["1E-3", ...power(1n, -3)],
  ["1e3", ...power(1n, 3)],
  ["1E6", ...power(1n, 6)],
  ["1e9", ...power(1n, 9)],
  ["1E12", ...power(1n, 12)],
  ["1e15", ...power(1n, 15)],
  ["1E18", ...power(1n, 18)],
  ["1e14", ...power(1n, 14)],
  ["1e13", ...power(1n, 13)],
  ["100.035k", ...decimal(100035n)],
  ["0.001", ...decimal(1n, -3)],
  ["0.0005k", ...decimal(5n, -1)],
  ["0.005", ...decimal(5n, -3)],
  ["0.05", ...decimal(5n, -2)],
  ["0.5", ...decimal(5n, -1)],
  ["0.00050k", ...decimal(5n, -1)],
  ["0.00500", ...decimal(5n, -3)],
  ["0.05000", ...decimal(5n, -2)],
  ["0.50000", ...decimal(5n, -1)],
  ["0.5e0", ...power(5n, -1)],
  ["0.5e-1", ...power(5n, -2)],
  ["0.5e-2", ...power(5n, -3)],
  ["10.035M", ...decimal(10035n, 3)],
  ["1.2e3", ...power(12n, 2)],
  ["1.3E+6", ...power(13n, 5)],
  ["1.40e9", ...power(14n, 8)],
  ["1.53E12", ...power(153n, 10)],
  ["1.6e15", ...power(16n, 14)],
  ["1.7E18", ...power(17n, 17)],
  ["9.01", ...decimal(901n, -2)],
  ["8.1k", ...decimal(81n, 2)],
  ["7.123456M", ...decimal(7123456n)],
  ["6.987654321G", ...decimal(6987654321n)],
  ["5.444T", ...decimal(5444n, 9)],
  ["40.1T", ...decimal(401n, 11)],
  ["300.2T", ...decimal(3002n, 11)],
  ["2.5P", ...decimal(25n, 14)],
  ["1.01E", ...decimal(101n, 16)],
  // rounded up to nano, or capped
  ["3.001n", ...decimal(4n, -9)],
  ["1.1E-9", ...power(2n, -9)],
  ["0.0000000001", ...decimal(1n, -9)],
  ["0.0000000005", ...decimal(1n, -9)],
  ["0.00000000050", ...decimal(1n, -9)],
  ["0.5e-9", ...power(1n, -9)],
  ["0.9n", ...decimal(1n, -9)],
  ["0.00000012345", ...decimal(124n, -9)],
  ["0.00000012354", ...decimal(124n, -9)],
  ["9Ei", ...binary(maxInt64)],
  ["9223372036854775807Ki", ...binary(maxInt64)],
  ["12E", ...decimal(12n, 18)],
  ["1e-2000000000", ...power(1n, -9)],
  // binary fractions
  ["100.035Ki", ...binary(10243584n, -2)],
  ["0.5Mi", ...binary(ki ** 2n / 2n)],
  ["0.05Gi", ...binary(536870912n, -1)],
  ["0.025Ti", ...binary(274877906944n, -1)],
  // odd, yet accepted
  ["0.000000000001Ki", ...decimal(2n, -9)],
  [".001", ...decimal(1n, -3)],
  [".0001k", ...decimal(100n, -3)],
  ["1.", ...decimal(1n)],
  ["1.G", ...decimal(1n, 9)],
  [".", ...decimal(0n)],
];

describe("parseQuantity", () => {
  test.each(parsed)("%s", (input, mantissa, exponent, format) => {
    const expected = new Quantity(mantissa, exponent, format);
    for (const [text, value] of [
      [input, expected],
      [`+${input}`, expected],
      [`-${input}`, expected.negate()],
    ] as const) {
      const quantity = parseQuantity(text);
      expect(quantity.compare(value)).toBe(0);
      expect(quantity.format).toBe(format);
    }
  });

  test.each([
    "",
    "1.1.M",
    "1+1.0M",
    "0.1mi",
    "0.1am",
    "aoeu",
    ".5i",
    "1i",
    "-3.01i",
    "-3.01e-",
    " 1",
    "1 ",
    "1\n",
  ])("refuses %j", (input) => {
    expect(() => parseQuantity(input)).toThrow(QuantityError);
  });

  test("takes numbers, as JSON may hold them", () => {
    expect(parseQuantity(10).toString()).toBe("10");
    expect(parseQuantity(0.1).toString()).toBe("100m");
    expect(parseQuantity(-1).toString()).toBe("-1");
  });
});

describe("toString", () => {
  test.for<[expected: string, alternate: string, ...Parts]>([
    ["1Gi", "1024Mi", ...binary(ki ** 3n)],
    ["300Mi", "307200Ki", ...binary(300n * ki ** 2n)],
    ["6Ki", "", ...binary(6n * ki)],
    ["1001Gi", "1025024Mi", ...binary(1001n * ki ** 3n)],
    ["1Ti", "1024Gi", ...binary(ki ** 4n)],
    ["5", "5000m", ...binary(5n)],
    ["500m", "0.5", ...binary(500n, -3)],
    ["1G", "1000M", ...decimal(1n, 9)],
    ["1G", "0.001T", ...decimal(1000n, 6)],
    ["1G", "", ...decimal(1_000_000n, 3)],
    ["1G", "", ...decimal(1_000_000_000n)],
    ["1m", "1000u", ...decimal(1n, -3)],
    ["80m", "", ...decimal(80n, -3)],
    ["1080m", "1.08", ...decimal(1080n, -3)],
    ["1080m", "1080000000n", ...decimal(108n, -2)],
    ["1080m", "", ...decimal(10800n, -4)],
    ["300M", "", ...decimal(300n, 6)],
    ["1T", "", ...decimal(1n, 12)],
    ["1234567M", "", ...decimal(1234567n, 6)],
    ["1234567m", "", ...binary(1234567n, -3)],
    ["3k", "", ...decimal(3n, 3)],
    ["1025", "", ...binary(1025n)],
    ["0", "", ...decimal(0n)],
    ["0", "", ...binary(0n)],
    ["1e9", ".001e12", ...power(1n, 9)],
    ["1e-3", "0.001e0", ...power(1n, -3)],
    ["1e-9", "1000e-12", ...power(1n, -9)],
    ["80e-3", "", ...power(80n, -3)],
    ["300e6", "", ...power(300n, 6)],
    ["1e12", "", ...power(1n, 12)],
    ["3e3", "", ...power(3n, 3)],
    ["0", "00", ...power(0n)],
    ["1n", "", ...decimal(1n, -9)],
    ["1080n", "", ...decimal(108n, -8)],
    ["1080n", "", ...decimal(10800n, -10)],
    ["1u", "", ...decimal(1n, -6)],
    ["1080u", "", ...decimal(1080n, -6)],
    ["1024m", "", ...binary(1024n, -3)],
    ["1048576m", "", ...binary(1024n * 1024n, -3)],
    ["1e3", "", ...power(1_000_000n, -3)],
    ["1000E", "", ...decimal(1n, 21)],
  ])("%s", ([expected, alternate, mantissa, exponent, format]) => {
    const quantity = new Quantity(mantissa, exponent, format);
    expect(quantity.toString()).toBe(expected);
    expect(parseQuantity(expected).toString()).toBe(expected);
    if (alternate !== "") expect(parseQuantity(alternate).toString()).toBe(expected);
    if (mantissa !== 0n) expect(quantity.negate().toString()).toBe(`-${expected}`);
  });

  test.each([
    ["1Ki", "1Ki"],
    ["1024Mi", "1Gi"],
    ["1000M", "1G"],
    [".001Ki", "1024m"],
    [".000001Ki", "1024u"],
    [".000000001Ki", "1024n"],
    [".000000000001Ki", "2n"],
    ["1000m", "1"],
    ["0.5Gi", "512Mi"],
    ["1.5Gi", "1536Mi"],
    ["100.5", "100500m"],
    ["12e6", "12e6"],
    ["0Ki", "0"],
    ["+123456789012Ki", "123456789012Ki"],
    ["+123456789Mi", "123456789Mi"],
    ["+9Pi", "9Pi"],
    ["+8Ki", "8Ki"],
    ["+1234567890123456789", "1234567890123456789"],
  ])("%s is written as %s", (input, canonical) => {
    expect(parseQuantity(input).toString()).toBe(canonical);
    if (canonical !== "0" && !input.startsWith("+"))
      expect(parseQuantity(`-${input}`).toString()).toBe(`-${canonical}`);
  });

  // What the API server keeps as it was written, though it could be written otherwise.
  const shorter = ["01", "+1", "1E3", "1.500", "1.", "1023Ki", "1025Ki", "1000000001m"];
  // Binary ones while their digits are surely few enough.
  const longer = ["+12345678901Ki", "+99999999Mi", "+12345Gi", "+123456789012345678"];
  test.each([...shorter, ...longer, "83.348u"])("%s is kept", (input) => {
    expect(parseQuantity(input).toString()).toBe(input);
    expect(JSON.stringify({ cpu: parseQuantity(input) })).toBe(`{"cpu":"${input}"}`);
  });

  test("survives parsing for any amount", () => {
    const quantity = fc.record({
      mantissa: fc.bigInt({ min: minInt64, max: maxInt64 }),
      exponent: fc.integer({ min: -9, max: 15 }),
      format: fc.constantFrom<QuantityFormat>("DecimalSI", "DecimalExponent"),
    });
    const whole = fc.record({
      mantissa: fc.bigInt({ min: minInt64 + 1n, max: maxInt64 }),
      exponent: fc.constant(0),
      format: fc.constant<QuantityFormat>("BinarySI"),
    });
    fc.assert(
      fc.property(fc.oneof(quantity, whole), ({ mantissa, exponent, format }) => {
        const original = new Quantity(mantissa, exponent, format);
        const again = parseQuantity(original.toString());
        expect(again.compare(original)).toBe(0);
        // A binary amount that no power of 1024 divides is written without a suffix, and read as a decimal one.
        const changesFormat = format === "BinarySI" && /^-?\d+$/.test(original.toString());
        if (!changesFormat) expect(again.toString()).toBe(original.toString());
        expect(parseQuantity(again.toString()).toString()).toBe(again.toString());
      }),
    );
  });
});

describe("arithmetic", () => {
  test.each(["100m", "1Gi"])("zero takes over the format of %s", (text) => {
    const value = parseQuantity(text);
    expect(value.add(zeroQuantity).toString()).toBe(text);
    expect(zeroQuantity.add(value).toString()).toBe(text);
    expect(value.sub(zeroQuantity).toString()).toBe(text);
    expect(zeroQuantity.sub(value).toString()).toBe(`-${text}`);
  });

  test.each([
    ["10", "1e1", "20", "0"],
    ["10", "1Ki", "1034", "-1014"],
    ["1Gi", "1M", "1074741824", "1072741824"],
    ["0", "50", "50", "-50"],
    ["1500m", "1", "2500m", "500m"],
    ["1Gi", "1Gi", "2Gi", "0"],
  ])("%s and %s: sum %s, difference %s", (a, b, sum, difference) => {
    expect(parseQuantity(a).add(parseQuantity(b)).toString()).toBe(sum);
    expect(parseQuantity(a).sub(parseQuantity(b)).toString()).toBe(difference);
  });

  test.each([
    [10n, 10n, 100n],
    [maxInt64, 2n, maxInt64 * 2n],
    [minInt64, -1n, maxInt64 + 1n],
    [50n, 0n, 0n],
  ])("%d times %d", (a, b, product) => {
    expect(new Quantity(a).multiply(b).scaledValue(0)).toBe(product);
  });

  test("sums cancel out across scales", () => {
    const term = fc.tuple(fc.bigInt({ min: 0n, max: maxInt64 }), fc.integer({ min: -10, max: 10 }));
    fc.assert(
      fc.property(fc.array(term, { maxLength: 50 }), (terms) => {
        const quantities = terms.map(([mantissa, exponent]) => new Quantity(mantissa, exponent));
        const sum = quantities.reduce((total, quantity) => total.add(quantity), zeroQuantity);
        expect(quantities.reduce((rest, quantity) => rest.sub(quantity), sum).isZero()).toBe(true);
      }),
    );
  });
});

describe("compare", () => {
  test.each<[a: [bigint, number], b: [bigint, number], expected: number]>([
    [[901n, -2], [901n, -2], 0],
    [[90n, -1], [901n, -2], -1],
    [[901n, -2], [900n, -2], 1],
    [[0n, 1], [0n, -1], 0],
    [[800n, -3], [1n, 0], -1],
    [[800n, -3], [79n, -2], 1],
    [[maxInt64, 0], [1n, -1], 1],
    [[maxInt64, 1], [1n, 1], 1],
    [[maxInt64, 1], [0n, 1], 1],
    [[maxInt64, -16], [1n, 3], -1],
    [[minInt64, 0], [0n, 0], -1],
    [[minInt64, -18], [-1n, 0], -1],
    [[minInt64, -19], [-1n, 0], 1],
    [[10n ** 18n, -17], [1n, 1], 0],
    [[10n ** 18n, -17], [-10n, 0], 1],
    [[-(10n ** 18n), -17], [-10n, 0], 0],
    [[10n ** 18n + 1n, -17], [1n, 1], 1],
    [[10n ** 18n - 1n, -17], [1n, 1], -1],
    [[1n, 2_147_483_647], [2n, 0], 1],
    [[-1n, 2_147_483_647], [2n, 0], -1],
  ])("%s and %s: %s", (a, b, expected) => {
    expect(new Quantity(...a).compare(new Quantity(...b))).toBe(expected);
    expect(new Quantity(...b).compare(new Quantity(...a))).toBe(expected === 0 ? 0 : -expected);
  });

  test.each([
    ["0", "0", 0],
    ["100m", "50m", 1],
    ["50m", "100m", -1],
    ["10000T", "100Gi", 1],
    ["1Gi", "1073741824", 0],
    ["1000m", "1", 0],
  ])("%s and %s: %j", (a, b, expected) => {
    expect(parseQuantity(a).compare(parseQuantity(b))).toBe(expected);
    expect(parseQuantity(a).equals(parseQuantity(b))).toBe(expected === 0);
  });
});

describe("values", () => {
  test.each<[from: number, to: number, expected: bigint]>([
    [-9, -9, 1n],
    [-9, -6, 1n],
    [-9, 0, 1n],
    [-6, -9, 1000n],
    [-6, -3, 1n],
    [-3, -9, 1_000_000n],
    [-3, 0, 1n],
    [0, -9, 1_000_000_000n],
    [0, -3, 1000n],
    [0, 0, 1n],
    [2, -2, 10_000n],
  ])("1 of 10^%d in 10^%d is %d", (from, to, expected) => {
    expect(new Quantity(1n, from).scaledValue(to)).toBe(expected);
  });

  test.each<[input: string, exponent: number, rounded: string]>([
    ["9.01", -3, "9.01"],
    ["9.01", -2, "9.01"],
    ["9.01", -1, "9.1"],
    ["9.01", 0, "10"],
    ["9.01", 1, "10"],
    ["9.01", 2, "100"],
    ["-9.01", -1, "-9.1"],
    ["-9.01", 0, "-10"],
    ["-9.01", 2, "-100"],
  ])("%s rounded up to 10^%d is %s", (input, exponent, rounded) => {
    expect(parseQuantity(input).roundUp(exponent).compare(parseQuantity(rounded))).toBe(0);
  });

  test.each([
    ["1", 1, 1000, 1],
    ["100m", 1, 100, 0.1],
    ["1500m", 2, 1500, 1.5],
    ["1u", 1, 1, 0.000001],
    ["1Gi", 1073741824, 1073741824000, 1073741824],
    ["-1500m", -2, -1500, -1.5],
    ["0", 0, 0, 0],
    ["12e500", Infinity, Infinity, Infinity],
  ])("%s: value %d, in thousandths %d, as a number %d", (input, value, milliValue, number) => {
    const quantity = parseQuantity(input);
    expect(quantity.value()).toBe(value);
    expect(quantity.milliValue()).toBe(milliValue);
    expect(quantity.toNumber()).toBe(number);
  });
});
