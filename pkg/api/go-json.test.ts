import fc from "fast-check";
import { expect, test } from "vitest";
import { goJson } from "./go-json.ts";

test.each<[unknown, string]>([
  [{ b: 1, a: [true, null, "x"], c: undefined }, '{"a":[true,null,"x"],"b":1}'],
  ["<a> & \u2028\u2029", String.raw`"\u003ca\u003e \u0026 \u2028\u2029"`],
  ['\b\f\n\r\t\u0001\u007f"\\', '"\\b\\f\\n\\r\\t\\u0001\u007f\\"\\\\"'],
  ["\ud800", '"\ufffd"'],
  [{ "\u{10000}": 1, "\uffff": 2 }, '{"\uffff":2,"\u{10000}":1}'],
  [1e21, "1e+21"],
  [1e-7, "1e-7"],
  [{}, "{}"],
])("%j", (value, text) => {
  expect(goJson(value)).toBe(text);
});

test("what is written is read back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
