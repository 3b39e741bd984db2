import { expect, test } from "vitest";
import { readKnown, readmeOf } from "./known.ts";

const known = readKnown();

test("README.md says what is in known.json (WRITE=1 make differential writes it)", () => {
  const { is, shouldBe } = readmeOf(known);
  expect(is).toBe(shouldBe);
});

test("every known difference has a reason", () => {
  const without = known.differences.filter(({ why }) => !Object.hasOwn(known.reasons, why));
  expect(without.map(({ signature }) => signature)).toEqual([]);
});

test("each signature is there once", () => {
  const signatures = known.differences.map(({ signature }) => signature);
  expect(signatures).toEqual([...new Set(signatures)]);
});
