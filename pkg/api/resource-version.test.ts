import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareResourceVersions, versionOrder } from "./resource-version.ts";

test.each<[string, string, number | undefined]>([
  ["9", "10", -1],
  ["10", "10", 0],
  ["", "1", undefined],
  ["1", "abc", undefined],
])("%j comes before %j: %s", (a, b, order) => {
  expect(versionOrder(a, b)).toBe(order);
});

describe("compareResourceVersions", () => {
  test.each([
    ["100", "200", -1],
    ["200", "100", 1],
    ["100", "100", 0],
    ["9", "10", -1],
    ["99999999999999999999999999", "100000000000000000000000000", -1],
    ["340282366920938463463374607431768211456", "340282366920938463463374607431768211455", 1],
  ])("%s against %s", (a, b, sign) => {
    expect(Math.sign(compareResourceVersions(a, b))).toBe(sign);
  });

  test.each(["", "0", "01", "-1", "+1", "1.5", "1e3", "abc", " 1", "1\n", "１"])(
    "%j is no version",
    (bad) => {
      expect(() => compareResourceVersions(bad, "1")).toThrow(`resource version is not well formed: ${bad}`);
      expect(() => compareResourceVersions("1", bad)).toThrow(
        expect.objectContaining({ code: "InvalidResourceVersion" }),
      );
    },
  );

  test("orders as the numbers do", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 100n), fc.bigInt(1n, 2n ** 100n), (a, b) => {
        const sign = a < b ? -1 : Number(a > b);
        expect(Math.sign(compareResourceVersions(`${a}`, `${b}`))).toBe(sign);
      }),
    );
  });
});
