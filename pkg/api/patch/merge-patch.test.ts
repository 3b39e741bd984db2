import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../freeze.ts";
import type { JsonObject } from "./json.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";

// The table in the appendix of RFC 7396.
test.each<[unknown, unknown, unknown]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("%j patched with %j is %j", (original, patch, result) => {
  expect(applyMergePatch(deepFreeze(original), deepFreeze(patch))).toEqual(result);
});

describe("createMergePatch", () => {
  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: null } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, {}],
    [{}, { a: {} }, { a: {} }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 1 }, { a: null }, { a: null }],
  ])("from %j to %j: %j", (original, modified, patch) => {
    expect(createMergePatch(original, modified)).toEqual(patch);
  });

  test("applied to the original gives the modified, and changes neither", () => {
    const withoutNull = fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => JSON.parse(JSON.stringify(value), (_, part: unknown) => part ?? undefined) as unknown);
    const object = fc.dictionary(
      fc.constantFrom("a", "b", "c", "__proto__"),
      withoutNull,
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(object, object, (original, modified) => {
        const patch = createMergePatch(deepFreeze(original), deepFreeze(modified));
        expect(JSON.parse(JSON.stringify(applyMergePatch(original, patch)))).toEqual(
          JSON.parse(JSON.stringify(modified)),
        );
      }),
    );
  });
});
