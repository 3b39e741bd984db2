import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inOneGo } from "../../api/steps.ts";
import type { FieldPath } from "./field-set.ts";
import {
  difference,
  fromFieldsV1,
  intersection,
  isEmptySet,
  pathsOf,
  printPath,
  setOfPaths,
  toFieldsV1,
  union,
  withoutSubtrees,
} from "./field-set.ts";
import { sortElements } from "./path-element.ts";

const path = (...elements: string[]): FieldPath => elements;
const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'k:{"port":80}', 'v:"s"', "v:1", "i:0");
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const textsOf = (set: ReturnType<typeof setOfPaths>) =>
  new Set(inOneGo(pathsOf(set)).map((one) => one.join(" ")));

test("set operations are those of sets of paths", () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOfPaths(left), setOfPaths(right)];
      const [inA, inB] = [textsOf(a), textsOf(b)];
      expect(inA).toEqual(new Set(left.map((one) => one.join(" "))));
      expect(textsOf(inOneGo(union(a, b)))).toEqual(inA.union(inB));
      expect(textsOf(inOneGo(intersection(a, b)))).toEqual(inA.intersection(inB));
      expect(textsOf(inOneGo(difference(a, b)))).toEqual(inA.difference(inB));
      expect(isEmptySet(inOneGo(difference(a, a)))).toBe(true);
    }),
  );
});

test("FieldsV1 can be read again", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = setOfPaths(list);
      const again = inOneGo(fromFieldsV1(JSON.parse(JSON.stringify(inOneGo(toFieldsV1(set))))));
      expect(textsOf(again)).toEqual(textsOf(set));
    }),
  );
});

test("FieldsV1 marks members that have members below", () => {
  const set = setOfPaths([path("f:a"), path("f:a", "f:b"), path("f:c", 'k:{"name":"x"}', "f:d")]);
  expect(inOneGo(toFieldsV1(set))).toEqual({
    "f:a": { ".": {}, "f:b": {} },
    "f:c": { 'k:{"name":"x"}': { "f:d": {} } },
  });
});

describe("fromFieldsV1", () => {
  test("writes keys as we do, and drops what it does not know", () => {
    const set = inOneGo(
      fromFieldsV1({ "f:a": { 'k:{"port": 80, "name":"x"}': {}, "x:future": {} }, 'v: "s"': {} }),
    );
    expect(inOneGo(toFieldsV1(set))).toEqual({ "f:a": { 'k:{"name":"x","port":80}': {} }, 'v:"s"': {} });
  });

  test.each(["a", "", "k:{", "v:"])("refuses the element %j", (text) => {
    expect(() => inOneGo(fromFieldsV1({ [text]: {} }))).toThrow(SyntaxError);
  });
});

test("withoutSubtrees takes along what is below", () => {
  const set = setOfPaths([path("f:a"), path("f:a", "f:b"), path("f:c", "f:d"), path("f:c", "f:e")]);
  const cut = setOfPaths([path("f:a"), path("f:c", "f:d")]);
  expect(inOneGo(pathsOf(inOneGo(withoutSubtrees(set, cut))))).toEqual([path("f:c", "f:e")]);
  expect(
    inOneGo(toFieldsV1(inOneGo(withoutSubtrees(set, setOfPaths([path("f:c", "f:d"), path("f:c", "f:e")]))))),
  ).toEqual({
    "f:a": { ".": {}, "f:b": {} },
  });
});

test("paths are printed as messages have them, members before what is below them", () => {
  const set = setOfPaths([
    path("f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}', "f:name"),
    path("f:spec", "f:selector"),
    path("f:metadata", "f:finalizers", 'v:"x"'),
    path("f:list", "i:3"),
  ]);
  expect(inOneGo(pathsOf(set)).map(printPath)).toEqual([
    ".list[3]",
    '.metadata.finalizers[="x"]',
    ".spec.selector",
    '.spec.ports[port=80,protocol="TCP"].name',
  ]);
});

test("elements come in the order of the API server", () => {
  const sorted = ["f:a", "f:b", 'k:{"name":"a"}', 'k:{"name":"b"}', 'k:{"port":80}', 'k:{"port":443}'];
  const all = [...sorted, "v:2", "v:10", 'v:"a"', "v:true", "i:1", "i:2"];
  expect(inOneGo(sortElements(all.toReversed()))).toEqual(all);
});

test("items that are told by one text come in the order of these texts, and not of the elements", () => {
  const items = ["a", "a b", "a!", "ab"].map((name) => `k:{"name":"${name}"}`);
  expect(inOneGo(sortElements(items.toReversed()))).toEqual(items);
  const mixed = ['k:{"name":"b"}', 'k:{"name":"c"}', 'k:{"port":"a"}'];
  expect(inOneGo(sortElements(mixed.toReversed()))).toEqual(mixed);
});
