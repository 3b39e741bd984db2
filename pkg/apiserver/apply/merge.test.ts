import fc from "fast-check";
import { expect, test } from "vitest";
import { inOneGo } from "../../api/steps.ts";
import type { FieldSchema } from "./field-schema.ts";
import { mergeApplied } from "./merge.ts";

const set: FieldSchema = {
  kind: "list",
  listType: "set",
  keys: [],
  keyDefaults: {},
  items: () => ({ kind: "scalar" }),
};

test.each<[live: string, applied: string, merged: string]>([
  ["abc", "abc", "abc"],
  ["abc", "", "abc"],
  ["", "abc", "abc"],
  ["abc", "b", "abc"],
  ["abc", "cb", "acb"],
  ["abc", "ca", "bca"],
  ["abc", "d", "abcd"],
  ["abc", "ad", "abcd"],
  ["abc", "da", "dabc"],
  ["abcd", "dx", "abcdx"],
  ["abcd", "xd", "abcxd"],
  ["ab", "cad", "cabd"],
])("%s merged with %s is %s", (live, applied, merged) => {
  expect(inOneGo(mergeApplied(set, live.split(""), applied.split("")))).toEqual(merged.split(""));
});

test("a merged set has every item once, and the applied ones in their order", () => {
  const items = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d", "e", "f"), { maxLength: 6 });
  fc.assert(
    fc.property(items, items, (live, applied) => {
      const merged = (inOneGo(mergeApplied(set, live, applied)) ?? []) as string[];
      expect(merged.toSorted()).toEqual([...new Set([...live, ...applied])].sort());
      expect(merged.filter((item) => applied.includes(item))).toEqual(applied);
      const own = live.filter((item) => !applied.includes(item));
      expect(merged.filter((item) => own.includes(item))).toEqual(own);
    }),
  );
});
