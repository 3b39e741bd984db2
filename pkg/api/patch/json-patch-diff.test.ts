import fc from "fast-check";
import { expect, test } from "vitest";
import { deepFreeze } from "../freeze.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { jsonPatchBetween } from "./json-patch-diff.ts";

test.each<readonly [before: unknown, after: unknown, operations: unknown]>([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 1, b: undefined }, []],
  [{ a: 1, b: 2 }, { a: 1, b: undefined }, [{ op: "remove", path: "/b" }]],
  [
    { a: { b: 1 } },
    { a: { b: 2, c: 3 } },
    [
      { op: "replace", path: "/a/b", value: 2 },
      { op: "add", path: "/a/c", value: 3 },
    ],
  ],
  [{ "a/b~c": 1 }, { "a/b~c": 2 }, [{ op: "replace", path: "/a~1b~0c", value: 2 }]],
  [{ l: [1, 2, 3] }, { l: [1, 3] }, [{ op: "remove", path: "/l/1" }]],
  [{ l: [1, 3] }, { l: [1, 2, 3] }, [{ op: "add", path: "/l/1", value: 2 }]],
  [{ l: [{ n: "a", v: 1 }] }, { l: [{ n: "a", v: 2 }] }, [{ op: "replace", path: "/l/0/v", value: 2 }]],
  [{ l: [1] }, { l: {} }, [{ op: "replace", path: "/l", value: {} }]],
])("from %j to %j", (before, after, operations) => {
  expect(jsonPatchBetween(before, after)).toEqual(operations);
});

test("numbers beyond 2^53 are told apart", () => {
  const value = 2n ** 60n + 1n;
  expect(jsonPatchBetween({ n: 2n ** 60n }, { n: value })).toEqual([{ op: "replace", path: "/n", value }]);
});

test("applied, it makes the one of the other, whatever they are", () => {
  const { value } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom("a", "b"),
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      fc.constant(null),
    ),
    value: fc.oneof(
      { maxDepth: 4 },
      tie("leaf"),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom("a", "b", "c/d", "e~f", "0"), tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("x", "y"), value),
      fc.dictionary(fc.constantFrom("x", "y"), value),
      (before, after) => {
        const operations = jsonPatchBetween(deepFreeze(before), deepFreeze(after));
        expect(applyJsonPatch(before, operations)).toEqual({ ...after });
      },
    ),
  );
});
