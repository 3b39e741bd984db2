import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Where a list cannot be long, and why. */
const SHORT: Readonly<Record<string, string>> = {
  "controllers/namespace/sync-content.ts": "one for each type of resource",
};

/** A list as the arguments of a call: beyond about 120,000 of them the stack is full, and users can have as many pods. */
const SPREAD = /\bMath\.(?:max|min)\([^)\n]*\.\.\./;

test("no list becomes the arguments of Math.max or Math.min: extremes.ts takes any number of values", () => {
  const spreading = globSync([
    "controllers/**/*.ts",
    "pkg/{api,cache,client,endpoints,events,reconcile,workqueue}/**/*.ts",
  ])
    .filter((file) => !/\.test(-data)?\.ts$/.test(file))
    .filter((file) => SPREAD.test(readFileSync(file, "utf8")));
  expect(spreading.filter((file) => !Object.hasOwn(SHORT, file))).toEqual([]);
});

test.each([
  ["Math.max(...pods.map(createdMs))", true],
  ["Math.min(0, ...waits)", true],
  ["Math.max(0, waits)", false],
])("%s: %s", (source, expected) => {
  expect(SPREAD.test(source)).toBe(expected);
});
