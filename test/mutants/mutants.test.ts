import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { editsOf } from "./mutant.ts";
import { mutants } from "./mutants.ts";

const root = new URL("../../", import.meta.url);

test("each planted mistake has one place, and tests that are there", () => {
  for (const mutant of mutants) {
    for (const { file, find, replace } of editsOf(mutant)) {
      const source = readFileSync(new URL(file, root), "utf8");
      expect(source.split(find), `${mutant.name}: ${find}`).toHaveLength(2);
      expect(replace).not.toBe(find);
    }
    expect(mutant.tests.length, mutant.name).toBeGreaterThan(0);
    for (const path of mutant.tests) expect(existsSync(new URL(path, root)), path).toBe(true);
  }
});

test("no two planted mistakes have one name", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
