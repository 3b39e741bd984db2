import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../freeze.ts";
import type { JsonObject } from "./json.ts";
import type { PatchError } from "./patch-error.ts";
import type { PatchField, PatchSchema } from "./patch-schema.ts";
import { patchSchemaOf } from "./patch-schema.ts";
import { createStrategicMergePatch } from "./strategic-merge-diff.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

/** An object whose fields have every strategy there is; items and nested objects are like the whole. */
const schema: PatchSchema = { field: (name) => fields[name] };
const plain: PatchField = { strategy: undefined, retainKeys: false, mergeKey: "", schema };
const fields: Readonly<Record<string, PatchField>> = {
  mergingList: { ...plain, strategy: "merge", mergeKey: "name" },
  mergeItemPtr: { ...plain, strategy: "merge", mergeKey: "name" },
  nonMergingList: plain,
  mergingIntList: { ...plain, strategy: "merge" },
  nonMergingIntList: plain,
  simpleMap: plain,
  replacingItem: { ...plain, strategy: "replace" },
  retainKeysMap: { ...plain, retainKeys: true },
  retainKeysMergingList: { ...plain, strategy: "merge", mergeKey: "name", retainKeys: true },
};

interface Case {
  /** The patch is also what the difference of original and result comes to. */
  readonly diff: boolean;
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly result: JsonObject;
}

const cases = deepFreeze(
  JSON.parse(
    readFileSync(new URL("testdata/strategic-merge.gen.json", import.meta.url), "utf8"),
  ) as readonly Case[],
);

describe("facts of upstream's test cases", () => {
  test.each(cases.map((one, index) => ({ index, ...one })))(
    "case $index: applies the patch",
    ({ original, patch, result }) => {
      expect(applyStrategicMergePatch(original, patch, schema)).toEqual(result);
    },
  );

  test.each(cases.filter(({ diff }) => diff).map((one, index) => ({ index, ...one })))(
    "case $index: finds the patch",
    ({ original, patch, result }) => {
      expect(createStrategicMergePatch(original, result, schema)).toEqual(patch);
    },
  );
});

describe("applyStrategicMergePatch", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "drops nulls and what carries directives, of what is new",
      {},
      { simpleMap: { a: null, b: 1, $retainKeys: ["b"] }, mergingList: [{ name: "a", $patch: "delete" }] },
      { simpleMap: { b: 1, $retainKeys: ["b"] }, mergingList: [] },
    ],
    ["a new object that is to be deleted does not come up", {}, { simpleMap: { $patch: "delete" } }, {}],
    [
      "an emptied object stays",
      { simpleMap: { a: 1 } },
      { simpleMap: { $patch: "delete" } },
      { simpleMap: {} },
    ],
    ["null removes a list", { mergingList: [{ name: "a" }] }, { mergingList: null }, {}],
    ["a list takes the place of an object", { simpleMap: { a: 1 } }, { simpleMap: [1] }, { simpleMap: [1] }],
    [
      "an unknown list is replaced, an unknown object merged",
      { x: [1], y: { a: 1 } },
      { x: [2], y: { b: 2 } },
      { x: [2], y: { a: 1, b: 2 } },
    ],
    [
      "the key __proto__ is like any other",
      {},
      JSON.parse('{"__proto__":{"a":1}}') as JsonObject,
      JSON.parse('{"__proto__":{"a":1}}') as JsonObject,
    ],
  ])("%s", (_, original, patch, result) => {
    expect(applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), schema)).toEqual(result);
  });

  test.for<[string, JsonObject, JsonObject, PatchError["code"], string]>([
    [
      "order",
      { mergingList: [{ name: 1 }, { name: 3 }] },
      { "$setElementOrder/mergingList": [{ name: 1 }, { name: 3 }], mergingList: [{ name: 3 }, { name: 1 }] },
      "Internal",
      "doesn't match $setElementOrder list",
    ],
    [
      "int order",
      { mergingIntList: [1] },
      { "$setElementOrder/mergingIntList": [1, 3], mergingIntList: [3, 1] },
      "Internal",
      "doesn't match",
    ],
    [
      "key",
      { mergingList: [{ name: 1 }] },
      { mergingList: [{ value: 1 }] },
      "Internal",
      "does not contain declared merge key: name",
    ],
    [
      "delete key",
      { mergingList: [{ name: 1 }] },
      { mergingList: [{ $patch: "delete" }] },
      "Internal",
      "does not contain declared merge key: name",
    ],
    [
      "directive",
      { simpleMap: { a: 1 } },
      { simpleMap: { $patch: "x" } },
      "Internal",
      "unknown patch type: x in map",
    ],
    [
      "item directive",
      { mergingList: [{ name: 1 }] },
      { mergingList: [{ name: 1, $patch: "x" }] },
      "Internal",
      "unknown patch type: x in map",
    ],
    [
      "merge",
      { mergingList: [{ name: 1 }] },
      { mergingList: [{ name: 1, $patch: "merge" }] },
      "Internal",
      "merging lists cannot yet be specified in the patch",
    ],
    ["retainKeys type", { a: 1 }, { $retainKeys: "a" }, "BadRequest", "invalid patch format of retainKeys"],
    [
      "retainKeys content",
      { a: 1 },
      { $retainKeys: ["a"], b: 1 },
      "BadRequest",
      "invalid patch format of retainKeys",
    ],
    [
      "order type",
      { mergingIntList: [1] },
      { "$setElementOrder/mergingIntList": 1 },
      "BadRequest",
      "invalid patch format of setElementOrder list",
    ],
    [
      "deletion type",
      { mergingIntList: [1] },
      { "$deleteFromPrimitiveList/mergingIntList": 1 },
      "BadRequest",
      "invalid patch format of primitive list",
    ],
    [
      "lists of lists",
      { mergingList: [{ name: 1 }] },
      { mergingList: [[1]] },
      "Unprocessable",
      "lists of lists are not supported",
    ],
    [
      "mixed lists",
      { mergingList: [{ name: 1 }] },
      { mergingList: [1] },
      "Internal",
      "list element types are not identical",
    ],
    [
      "ordering no list",
      { mergingList: {} },
      { "$setElementOrder/mergingList": [] },
      "Internal",
      "expected a []interface {}",
    ],
  ])("refuses a patch with a bad %s", ([, original, patch, code, message]) => {
    expect(() => applyStrategicMergePatch(original, patch, schema)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    );
  });
});

describe("with the schema of a built-in kind", () => {
  const deployment = patchSchemaOf("apps/v1", "Deployment");
  const pod = (...containers: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers } } } });

  test("containers merge by name, their ports by number", () => {
    const live = pod(
      { name: "a", image: "a:1", ports: [{ containerPort: 80 }] },
      { name: "b", image: "b:1" },
    );
    const patch = pod({ name: "a", image: "a:2", ports: [{ containerPort: 81 }] });
    expect(deployment && applyStrategicMergePatch(live, patch, deployment)).toEqual(
      pod(
        { name: "a", image: "a:2", ports: [{ containerPort: 81 }, { containerPort: 80 }] },
        { name: "b", image: "b:1" },
      ),
    );
  });

  test("the strategy is a union: what it does not keep goes", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    expect(deployment && applyStrategicMergePatch(live, patch, deployment)).toEqual({
      spec: { strategy: { type: "Recreate" } },
    });
    expect(
      deployment && createStrategicMergePatch(live, { spec: { strategy: { type: "Recreate" } } }, deployment),
    ).toEqual({ spec: { strategy: { $retainKeys: ["type"], type: "Recreate", rollingUpdate: null } } });
  });

  test("finalizers merge, labels are a map, an unknown kind has no schema", () => {
    const live = { metadata: { finalizers: ["a"], labels: { x: "1" } } };
    const patch = { metadata: { finalizers: ["b"], labels: { y: "2" } } };
    expect(deployment && applyStrategicMergePatch(live, patch, deployment)).toEqual({
      metadata: { finalizers: ["b", "a"], labels: { x: "1", y: "2" } },
    });
    expect(patchSchemaOf("example.com/v1", "Widget")).toBeUndefined();
  });
});

test("a difference applied to the original gives the modified, and changes neither", () => {
  const scalar = fc.oneof(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 3 }), fc.boolean());
  const { item } = fc.letrec<{ item: JsonObject }>((tie) => {
    const named = fc
      .tuple(fc.constantFrom("p", "q", "r"), tie("item"))
      .map(([name, fields]): JsonObject => ({ ...fields, name }));
    const list = fc.uniqueArray(named, { maxLength: 3, selector: ({ name }) => name });
    const optional: { requiredKeys: never[]; noNullPrototype: boolean } = {
      requiredKeys: [],
      noNullPrototype: true,
    };
    return {
      item: fc.oneof(
        { maxDepth: 3 },
        fc.record({ value: scalar }, optional),
        fc.record(
          {
            value: scalar,
            mergingList: list,
            retainKeysMergingList: list,
            nonMergingList: list,
            mergingIntList: fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
            nonMergingIntList: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
            simpleMap: fc.dictionary(fc.constantFrom("x", "y", "z"), scalar),
            replacingItem: fc.dictionary(fc.constantFrom("x", "y", "z"), scalar),
            retainKeysMap: tie("item"),
          },
          optional,
        ),
      ),
    };
  });
  fc.assert(
    fc.property(item, item, (original, modified) => {
      const patch = createStrategicMergePatch(deepFreeze(original), deepFreeze(modified), schema);
      expect(applyStrategicMergePatch(original, deepFreeze(patch), schema)).toEqual(modified);
      expect(createStrategicMergePatch(modified, modified, schema)).toEqual({});
    }),
    { numRuns: 500 },
  );
});
