import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";

const root = new URL("../../../", import.meta.url);

test.each(mutants)("there is exactly one place where it $name", ({ also, ...first }) => {
  for (const { file, find, replace } of also === undefined ? [first] : [first, also]) {
    const source = readFileSync(new URL(file, root), "utf8");
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  }
});
