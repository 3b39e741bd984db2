import fc from "fast-check";
import { expect, test } from "vitest";
import { Interner } from "./interner.ts";

const make = (): object => ({ app: "web" });

test("equal values become one", () => {
  const interner = new Interner();
  const first = interner.value(make(), make);
  expect(interner.value(make(), make)).toBe(first);
  expect(interner.value({ app: "other" }, () => ({ app: "other" }))).not.toBe(first);
});

test("long values and strings are not remembered", () => {
  const interner = new Interner();
  const long = "x".repeat(600);
  interner.string(long);
  interner.value([long], () => [long]);
  expect(interner.size).toBe(0);
});

test("whether a value is remembered depends on the length of its text", () => {
  const values = fc.oneof(fc.object({ maxDepth: 4 }), fc.array(fc.jsonValue())).map(toJson);
  fc.assert(
    fc.property(values, (value) => {
      const interner = new Interner();
      const isShort = JSON.stringify(value).length <= 512;
      const first = interner.value(value, () => structuredClone(value));
      expect(interner.value(value, () => structuredClone(value)) === first).toBe(isShort);
    }),
  );
});

/** As parsed: without what JSON does not have. */
function toJson(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}

test("what is asked for again and again is remembered, and the rest does not pile up", () => {
  const interner = new Interner(10, 10);
  const kept = interner.value(make(), make);
  for (let index = 0; index < 1_000; index++) {
    interner.string(`unique ${index}`);
    interner.value({ index }, () => ({ index }));
    expect(interner.value(make(), make)).toBe(kept);
  }
  expect(interner.size).toBeLessThanOrEqual(40);
});
