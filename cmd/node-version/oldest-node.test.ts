import { expect, test } from "vitest";
import { ENGINES } from "../../hack/package/manifest.ts";
import { tooOld } from "./oldest-node.ts";

test.each([
  ["20.20.2", true],
  ["22.9.0", true],
  ["22.18.9", true],
  ["22.19.0", false],
  ["22.100.0", false],
  ["23.0.0", false],
  ["26.10.0", false],
])("Node.js %s is too old: %s", (version, expected) => {
  const problem = tooOld(version);
  expect(problem === undefined).toBe(!expected);
  if (expected) expect(problem).toBe(`this program needs Node.js 22.19 or newer, and this is ${version}`);
});

test("what the package says that it needs is what the programs ask for", () => {
  expect(tooOld(ENGINES.replace(">=", ""))).toBeUndefined();
  expect(ENGINES).toBe(">=22.19.0");
});
