import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedKeys } from "./sorted-keys.ts";

test("however keys come and go, those who read them find them in order", () => {
  const step = fc.record({ key: fc.nat(200).map(String), reads: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const keys = new SortedKeys();
      const there = new Set<string>();
      for (const { key, reads } of steps) {
        if (there.delete(key)) keys.delete(key);
        else {
          there.add(key);
          keys.add(key);
        }
        if (reads) expect(keys.all).toEqual([...there].sort());
      }
      expect(keys.all).toEqual([...there].sort());
    }),
  );
});

test("thousands that come at once are put where they belong together", () => {
  const keys = new SortedKeys();
  const names = Array.from({ length: 1_000 }, (_, at) => `default/c-${at}`);
  for (const name of names.slice(0, 500)) keys.add(name);
  expect(keys.all).toEqual(names.slice(0, 500).sort());
  for (const name of names.slice(500)) keys.add(name);
  keys.delete("default/c-7");
  expect(keys.all).toEqual(names.filter((name) => name !== "default/c-7").sort());
});
