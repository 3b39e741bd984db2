import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "./wire-json.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** JSON texts with a number of 64 bits here and there, and blanks. */
const document = fc.letrec<{ value: string }>((tie) => {
  const blank = fc.constantFrom("", "", " ", "\n\t", "\r ");
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), int64.map(String));
  const string = text.map((value) => JSON.stringify(value));
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      int64.map(String),
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String),
      string,
      fc.constantFrom("true", "false", "null", "-0", "1E5", "1.50e-3", '"\\u0000\\ud83d"', '"__proto__"'),
      fc
        .array(fc.tuple(blank, tie("value"), blank), { maxLength: 4 })
        .map((items) => `[${items.map((item) => item.join("")).join(",")}${items.length === 0 ? " " : ""}]`),
      fc
        .array(fc.tuple(blank, fc.oneof(string, fc.constant('"__proto__"')), blank, tie("value")), {
          maxLength: 4,
        })
        .map(
          (members) =>
            `{${members.map(([a, key, b, value]) => `${a}${key}${b}:${b}${value}${a}`).join(",")}}`,
        ),
    ),
  };
}).value;

describe("JSON of objects", () => {
  test("is what JSON.parse gives, but for whole numbers that it does not hold", () => {
    fc.assert(
      fc.property(document, (text) => {
        const rounded: unknown = JSON.parse(text);
        expect(rounding(parseJson(text))).toStrictEqual(rounding(rounded));
      }),
      { numRuns: 1_000 },
    );
  });

  test("comes out as it went in: numbers of 64 bits, digit by digit", () => {
    fc.assert(
      fc.property(fc.array(int64), fc.dictionary(fc.string(), int64), fc.json(), (list, map, other) => {
        const entries = Object.entries(map).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
        const rest = JSON.stringify(JSON.parse(other));
        const text = `{"list":[${list.join(",")}],"map":{${inOrder(entries)}},"rest":${rest}}`;
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
    );
  });

  test.each<[string, unknown]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    // As in Go's unstructured objects: what does not fit is a double, and so is what is not written as an integer.
    ["9223372036854775808", 9223372036854775808],
    ["-9223372036854775809", -9223372036854775808],
    ["1234567890123456789012345", 1234567890123456800000000],
    ["9007199254740993.0", 9007199254740992],
    ["9007199254740993e0", 9007199254740992],
    ["1234567890123456e5", 123456789012345600000],
    ["0.12345678901234566", 0.12345678901234566],
    ['"9007199254740993"', "9007199254740993"],
    [' [ 1 , 9007199254740993 , "a" , null , true ] ', [1, 9007199254740993n, "a", null, true]],
    [
      '{"a":9007199254740993,"b":"1234567890123456 9007199254740993,","c":-0.5}',
      { a: 9007199254740993n, b: "1234567890123456 9007199254740993,", c: -0.5 },
    ],
    ['{"a":1,"a":9007199254740993}', { a: 9007199254740993n }],
    ['["1234567890123456",9007199254740993]', ["1234567890123456", 9007199254740993n]],
    ["[0.12345678901234566,9007199254740993]", [0.12345678901234566, 9007199254740993n]],
    ["[1.5e3,-7,9007199254740993]", [1500, -7, 9007199254740993n]],
  ])("%s", (text, expected) => {
    expect(parseJson(text)).toStrictEqual(expected);
  });

  test("finds long numbers wherever they stand", () => {
    for (let before = 0; before < 40; before++) {
      const text = `[${" ".repeat(before)}9007199254740993]`;
      expect(parseJson(text)).toStrictEqual([9007199254740993n]);
    }
  });

  test("refuses what JSON.parse refuses, in its words", () => {
    for (const text of ["", "{", '{"a":9007199254740993', "[9007199254740993,]", "09007199254740993"]) {
      expect(() => parseJson(text)).toThrow(thrownBy(() => JSON.parse(text)));
    }
  });

  test("takes strings of any length", () => {
    const long = "x".repeat(40);
    expect(parseJson(`{"a":"${long}","b":9007199254740993}`)).toStrictEqual({
      a: long,
      b: 9007199254740993n,
    });
  });
});

/** With the doubles in place of what is exact. */
function rounding(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(rounding);
  if (typeof value !== "object" || value === null) return value;
  // A key __proto__ is an ordinary one.
  return Object.entries(value).map(([key, part]) => [key, rounding(part)]);
}

/** Objects have keys that are indexes first: texts in that order come back as they are. */
function inOrder(entries: readonly string[]): string {
  const object = JSON.parse(`{${entries.join(",")}}`) as object;
  const byKey = new Map(
    entries.map((entry) => [JSON.stringify(Object.keys(JSON.parse(`{${entry}}`) as object)[0]), entry]),
  );
  return Object.keys(object)
    .map((key) => byKey.get(JSON.stringify(key)))
    .join(",");
}

function thrownBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}
