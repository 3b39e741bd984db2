import { expect, test } from "vitest";
import { deepFreeze } from "./freeze.ts";

test("deepFreeze makes every change throw, however deep", () => {
  const value = deepFreeze({ a: [{ b: 1 }], c: null, d: undefined });
  expect(() => {
    (value.a[0] as { b: number }).b = 2;
  }).toThrow(TypeError);
  expect(() => value.a.push({ b: 3 })).toThrow(TypeError);
  expect(value).toEqual({ a: [{ b: 1 }], c: null });
});
