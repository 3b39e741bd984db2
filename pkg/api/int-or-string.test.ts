import { describe, expect, test } from "vitest";
import type { IntOrString } from "./int-or-string.ts";
import { IntOrStringError, parseIntOrString, resolveFenceposts, scaledValue } from "./int-or-string.ts";

describe("scaledValue", () => {
  test.each<[IntOrString, total: number, "up" | "down", number]>([
    [123, 0, "down", 123],
    [200, 10, "up", 200],
    ["90%", 100, "up", 90],
    ["90%", 95, "up", 86],
    ["90%", 95, "down", 85],
    ["40%", 100, "down", 40],
    ["0%", 10, "up", 0],
    ["150%", 3, "up", 5],
    ["150%", 3, "down", 4],
    ["-10%", 15, "down", -2],
    ["+10%", 10, "up", 1],
    ["29%", 100, "up", 29],
    ["57%", 100, "down", 57],
  ])("%j of %d rounded %s is %d", (value, total, rounding, expected) => {
    expect(scaledValue(value, total, rounding)).toBe(expected);
  });

  test.each(["200", "30%0", "%", "a%", "a", "40#", "40%%", "90#", "#%", "90", "", "1.5%", " 5%"])(
    "refuses %j",
    (value) => {
      expect(() => scaledValue(value, 10, "up")).toThrow(IntOrStringError);
    },
  );

  test("says why", () => {
    expect(() => scaledValue("5", 10, "up")).toThrow(
      "invalid value for IntOrString: invalid type: string is not a percentage",
    );
    expect(() => scaledValue("a%", 10, "up")).toThrow(
      'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax',
    );
  });
});

describe("resolveFenceposts", () => {
  test.for<
    [IntOrString | undefined, IntOrString | undefined, desired: number, surge: number, unavailable: number]
  >([
    ["0%", "0%", 0, 0, 1],
    ["39%", "39%", 0, 0, 1],
    [4, 0, 10, 4, 0],
    [0, 0, 1, 0, 1],
    ["50%", 1, 2, 1, 1],
    [0, "0%", 10, 0, 1],
    ["39%", "39%", 10, 4, 3],
    ["0%", "25%", 3, 0, 1],
    ["25%", "25%", 1, 1, 0],
    [undefined, undefined, 5, 0, 1],
    [undefined, 2, 5, 0, 2],
    ["25%", undefined, 5, 2, 0],
  ])(
    "surge %j, unavailable %j of %d: %d and %d",
    ([maxSurge, maxUnavailable, desired, surge, unavailable]) => {
      expect(resolveFenceposts(maxSurge, maxUnavailable, desired)).toEqual({ surge, unavailable });
    },
  );

  test.each<[IntOrString, IntOrString]>([
    ["oops", "39%"],
    ["55%", "urg"],
  ])("refuses %j with %j", (maxSurge, maxUnavailable) => {
    expect(() => resolveFenceposts(maxSurge, maxUnavailable, 5)).toThrow(IntOrStringError);
  });
});

test.each<[string, IntOrString]>([
  ["0", 0],
  ["2147483647", 2147483647],
  ["-2147483648", -2147483648],
  ["2147483648", "2147483648"],
  ["-2147483649", "-2147483649"],
  ["9223372036854775808", "9223372036854775808"],
  ["http", "http"],
  ["25%", "25%"],
  ["", ""],
])("parseIntOrString(%j) is %j", (text, expected) => {
  expect(parseIntOrString(text)).toBe(expected);
});
