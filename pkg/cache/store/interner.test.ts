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
