import { runInThisContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { blockAround, probed } from "./probes.ts";

const FILE = "pkg/example.ts";
const SOURCE = `
const double = (value) => (value * 2);
const pair = (value) => (other) => ({ value, other });
class Base { base = 1; }
class Derived extends Base { constructor() { super(); } }
const compare = (value) => {
  if (value > 1) return "more";
  if (value === 1) { return "one"; }
  try { throw new Error(); } catch { return "less"; }
};
`;

afterEach(() => {
  globalThis.reached = undefined;
});

function run(use: string): { readonly value: unknown; readonly entered: readonly string[] } {
  const value = runInThisContext(`(() => { ${probed(FILE, SOURCE)}
return ${use}; })()`) as unknown;
  return { value, entered: Object.keys(globalThis.reached ?? {}) };
}

function around(text: string): string {
  return blockAround(FILE, SOURCE, SOURCE.indexOf(text));
}

test.each([
  { use: "0", value: 0, entered: [] },
  { use: "double(4)", value: 8, entered: ["value * 2"] },
  { use: "pair(1)(2)", value: { value: 1, other: 2 }, entered: ["(other) =>", "({ value"] },
  { use: "new Derived().base", value: 1, entered: ["super"] },
  { use: "compare(2)", value: "more", entered: ["if (value > 1"] },
  { use: "compare(1)", value: "one", entered: ["if (value > 1", `return "one"`] },
  { use: "compare(0)", value: "less", entered: ["if (value > 1", "throw", `return "less"`] },
])("$use enters $entered, and gives what it gave without probes", ({ use, value, entered }) => {
  expect(run(use)).toEqual({ value, entered: [`${FILE}:0`, ...entered.map(around)] });
});

test("what stands in no block belongs to the module, what stands before an arrow to what is around", () => {
  expect(around("const double")).toBe(`${FILE}:0`);
  expect(around("(value) => (other)")).toBe(`${FILE}:0`);
});
