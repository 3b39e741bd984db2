import { describe, expect, test } from "vitest";
import { deepFreeze } from "../freeze.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";

describe("applyJsonPatch", () => {
  test.each<[unknown, JsonPatchOperation[], unknown]>([
    [{ foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
    [{ foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    [{ foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["x"] }], { foo: ["bar", ["x"]] }],
    [{ foo: ["bar"] }, [{ op: "add", path: "/foo/1", value: "x" }], { foo: ["bar", "x"] }],
    [{ foo: [] }, [{ op: "add", path: "/foo/-1", value: "x" }], { foo: ["x"] }],
    [{ foo: 1 }, [{ op: "add", path: "/foo", value: null }], { foo: null }],
    [{ foo: { a: 1 } }, [{ op: "add", path: "/foo/b/c".slice(0, 6), value: 2 }], { foo: { a: 1, b: 2 } }],
    [{ baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    [{ foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    [{ foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/-1" }], { foo: ["bar", "qux"] }],
    [{ baz: "qux" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo" }],
    [{ foo: ["a", "b"] }, [{ op: "replace", path: "/foo/1", value: "x" }], { foo: ["a", "x"] }],
    [{}, [{ op: "replace", path: "/new", value: 1 }], { new: 1 }],
    [{ a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
    [
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [
      { foo: ["all", "grass", "cows", "eat"] },
      [{ op: "move", from: "/foo/1", path: "/foo/3" }],
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [{ a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: [1, 2] }, [{ op: "copy", from: "/a/0", path: "/a/-" }], { a: [1, 2, 1] }],
    [{ "a/b": 1, "m~n": 2 }, [{ op: "remove", path: "/a~1b" }], { "m~n": 2 }],
    [{ "a/b": 1, "m~n": 2 }, [{ op: "remove", path: "/m~0n" }], { "a/b": 1 }],
    [{ "~1": 1 }, [{ op: "remove", path: "/~01" }], {}],
    [{ "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
    [
      { a: [1, { b: 2 }] },
      [
        { op: "test", path: "/a/1", value: { b: 2 } },
        { op: "add", path: "/a/1/c", value: 3 },
      ],
      { a: [1, { b: 2, c: 3 }] },
    ],
    [{ a: 1 }, [{ op: "test", path: "/b", value: null }], { a: 1 }],
    [{ a: { x: 1, y: 2 } }, [{ op: "test", path: "/a", value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
    [{ a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
    [{ a: 1 }, [{ op: "copy", from: "/b", path: "/c" }], { a: 1, c: null }],
    [{ a: 1 }, [], { a: 1 }],
  ])("%j with %j is %j", (original, patch, result) => {
    expect(applyJsonPatch(deepFreeze(original), deepFreeze(patch))).toEqual(result);
  });

  test("knows no special keys", () => {
    const result = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { a: 1 } }]);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1}}');
    expect(() => applyJsonPatch({}, [{ op: "remove", path: "/toString" }])).toThrow(PatchError);
  });

  test.each<[unknown, unknown, PatchError["code"], string]>([
    [
      { a: 1 },
      [{ op: "test", path: "/a", value: 2 }],
      "Unprocessable",
      "testing value /a failed: test failed",
    ],
    [
      { a: 1 },
      [{ op: "test", path: "/b", value: 2 }],
      "Unprocessable",
      "testing value /b failed: test failed",
    ],
    [
      {},
      [{ op: "test", path: "/b/c", value: 2 }],
      "Unprocessable",
      "test operation does not apply: is missing path: /b/c",
    ],
    [
      {},
      [{ op: "remove", path: "/a" }],
      "Unprocessable",
      "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      {},
      [{ op: "remove", path: "/a/b" }],
      "Unprocessable",
      'remove operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    [
      {},
      [{ op: "add", path: "/a/b", value: 1 }],
      "Unprocessable",
      'add operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    [
      { a: 1 },
      [{ op: "replace", path: "a", value: {} }],
      "Unprocessable",
      "replace operation does not apply: doc is missing path: a: missing value",
    ],
    [
      { a: 1 },
      [{ op: "add", path: "", value: { b: 2 } }],
      "Unprocessable",
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    [
      { a: 1 },
      [{ op: "copy", from: "", path: "/b" }],
      "Unprocessable",
      "copy operation does not apply: doc is missing from path: : missing value",
    ],
    [
      { a: 1 },
      [{ op: "copy", from: "a", path: "/b" }],
      "Unprocessable",
      "copy operation does not apply: doc is missing from path: a: missing value",
    ],
    [
      { a: 1 },
      [{ op: "test", path: "a", value: { a: 1 } }],
      "Unprocessable",
      "test operation does not apply: is missing path: a: missing value",
    ],
    [
      { a: [] },
      [{ op: "add", path: "/a/1", value: 1 }],
      "Unprocessable",
      "error in add for path: '/a/1': Unable to access invalid index: 1",
    ],
    [
      { a: [] },
      [{ op: "add", path: "/a/x", value: 1 }],
      "Unprocessable",
      "value was not a proper array index: 'x'",
    ],
    [{ a: [] }, [{ op: "remove", path: "/a/0" }], "Unprocessable", "Unable to access invalid index: 0"],
    [{ a: [] }, [{ op: "remove", path: "/a/-1" }], "Unprocessable", "Unable to access invalid index: -1"],
    [
      { a: [1] },
      [{ op: "remove", path: "/a/01" }],
      "Unprocessable",
      "value was not a proper array index: '01'",
    ],
    [
      {},
      [{ op: "copy", from: "/a/b", path: "/b" }],
      "Unprocessable",
      "copy operation does not apply: doc is missing from path: /a/b",
    ],
    [
      {},
      [{ op: "move", from: "/a/b", path: "/b" }],
      "Unprocessable",
      "move operation does not apply: doc is missing from path: /a/b",
    ],
    [{}, [{ op: "add", value: 1 }], "Unprocessable", "add operation failed to decode path"],
    [{}, [{ op: "move", path: "/a" }], "Unprocessable", "move operation failed to decode from"],
    [{}, [{ op: "spam", path: "/a" }], "Unprocessable", "Unexpected kind: spam"],
    [{}, [{ path: "/a" }], "Unprocessable", "Unexpected kind: unknown"],
    [{}, { op: "add" }, "BadRequest", "a JSON patch is a list of operations"],
    [{}, ["add"], "BadRequest", "an operation is an object"],
  ])("%j refuses %j", (original, patch, code, message) => {
    expect(() => applyJsonPatch(original, patch)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    );
  });

  test("applies nothing when one operation fails", () => {
    const original = deepFreeze({ a: 1 });
    expect(() =>
      applyJsonPatch(original, [
        { op: "add", path: "/b", value: 1 },
        { op: "test", path: "/a", value: 2 },
      ]),
    ).toThrow(PatchError);
    expect(original).toEqual({ a: 1 });
  });
});
