import fc from "fast-check";
import { expect, test } from "vitest";
import { toInt64 } from "../../api/int64.ts";
import { jsonPieces } from "./encode.ts";

test("JSON in pieces is what JSON.stringify gives", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 8 }), (value, most) => {
      expect([...jsonPieces(value, most)].join("")).toBe(JSON.stringify(value));
    }),
  );
  const odd = { a: undefined, b: [undefined, toInt64(2n ** 53n)], ["__proto__"]: 1 };
  const expected = JSON.stringify(odd);
  expect([...jsonPieces(odd, 2)].join("")).toBe(expected);
});

test("a long list has pieces of its own", () => {
  const value = { a: 1, list: Array.from({ length: 5_000 }, (_, at) => ({ at })) };
  const pieces = [...jsonPieces(value)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20_000);
});
