import { describe, expect, test } from "vitest";
import { applyDefaults } from "./default-values.ts";
import { compileJsonPath, JsonPathError } from "./json-path.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import { pruneUnknown } from "./prune.ts";
import { inOneGo } from "../../api/steps.ts";
import { validateValue } from "./validate-value.ts";

const object = (properties: Record<string, OpenApiSchema>, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: "object",
  properties,
  ...more,
});
const text: OpenApiSchema = { type: "string" };

describe("pruning", () => {
  test("takes out what the schema does not name, however deep, and says where", () => {
    const schema = object({
      spec: object({
        list: { type: "array", items: object({ a: text }) },
        map: { type: "object", additionalProperties: object({ a: text }) },
      }),
      open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    });
    const value = {
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "x", anything: 1 },
      spec: { list: [{ a: "1", b: 1 }], map: { k: { a: "1", c: 1 } }, x: 1 },
      open: { whatever: { deep: 1 } },
      y: 1,
    };
    expect(pruneUnknown(value, schema)).toEqual(["spec.list[0].b", "spec.map.k.c", "spec.x", "y"]);
    expect(value).toEqual({
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "x", anything: 1 },
      spec: { list: [{ a: "1" }], map: { k: { a: "1" } } },
      open: { whatever: { deep: 1 } },
    });
  });

  test("an embedded object keeps its kind and metadata", () => {
    const schema = object({
      template: object({ spec: object({}) }, { "x-kubernetes-embedded-resource": true }),
    });
    const value = { template: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: {}, z: 1 } };
    expect(pruneUnknown(value, schema)).toEqual(["template.z"]);
    expect(Object.keys(value.template)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  });
});

describe("defaults", () => {
  test("fill what is missing, also in lists and maps and within other defaults", () => {
    const inner = object({ a: { type: "integer", default: 1 } });
    const schema = object({
      made: object({ b: { type: "string", default: "x" } }, { default: {} }),
      list: { type: "array", items: inner },
      map: { type: "object", additionalProperties: inner },
      given: { type: "string", default: "no" },
    });
    const value = { list: [{}, { a: 2 }], map: { k: {} }, given: "yes" };
    expect(applyDefaults(value, schema)).toBe(true);
    expect(value).toEqual({
      made: { b: "x" },
      list: [{ a: 1 }, { a: 2 }],
      map: { k: { a: 1 } },
      given: "yes",
    });
    expect(applyDefaults(value, schema)).toBe(false);
  });

  test("a null counts as missing unless it may be null", () => {
    const schema = object({
      a: { type: "string", default: "x" },
      b: { type: "string", default: "x", nullable: true },
    });
    const value: Record<string, unknown> = { a: null, b: null };
    applyDefaults(value, schema);
    expect(value).toEqual({ a: "x", b: null });
  });

  test("two objects never share a default", () => {
    const schema = object({ a: { type: "object", default: { b: 1 } } });
    const one: Record<string, unknown> = {};
    const two: Record<string, unknown> = {};
    applyDefaults(one, schema);
    applyDefaults(two, schema);
    expect(one["a"]).not.toBe(two["a"]);
  });
});

describe("validation", () => {
  test.each<[string, OpenApiSchema, unknown, readonly string[]]>([
    [
      "wrong type",
      { type: "integer" },
      "a",
      ['Invalid value: "string": v in body must be of type integer: "string"'],
    ],
    [
      "fraction",
      { type: "integer" },
      1.5,
      [
        'Invalid value: "number": v in body must be of type integer: "number"',
        'Invalid value: "": Checked value must be of type integer (default format) in v',
      ],
    ],
    ["null", text, null, ['Invalid value: "null": v in body must be of type string: "null"']],
    ["nullable", { type: "string", nullable: true }, null, []],
    [
      "minimum",
      { type: "integer", minimum: 1 },
      0,
      ["Invalid value: 0: v in body should be greater than or equal to 1"],
    ],
    [
      "exclusive",
      { type: "integer", maximum: 1, exclusiveMaximum: true },
      1,
      ["Invalid value: 1: v in body should be less than 1"],
    ],
    [
      "multiple",
      { type: "integer", multipleOf: 5 },
      7,
      ["Invalid value: 7: v in body should be a multiple of 5"],
    ],
    [
      "enum",
      { type: "string", enum: ["a", "b"] },
      "c",
      ['Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      "pattern",
      { type: "string", pattern: "^a+$" },
      "b",
      [`Invalid value: "b": v in body should match '^a+$'`],
    ],
    ["too long", { type: "string", maxLength: 2 }, "abc", ["Too long: may not be more than 2 bytes"]],
    ["letters, not halves of them", { type: "string", maxLength: 2 }, "a\u{1F600}", []],
    ["letters that are halves of none", { type: "string", maxLength: 2 }, "\u{D83D}a", []],
    [
      "too few letters of several halves",
      { type: "string", minLength: 2 },
      "\u{1F600}",
      ['Invalid value: "\u{1F600}": v in body should be at least 2 chars long'],
    ],
    [
      "too short",
      { type: "string", minLength: 2 },
      "a",
      ['Invalid value: "a": v in body should be at least 2 chars long'],
    ],
    [
      "format",
      { type: "string", format: "ipv4" },
      "x",
      ['Invalid value: "x": v in body must be of type ipv4: "x"'],
    ],
    ["unknown format", { type: "string", format: "nope" }, "x", []],
    ["int or string", { "x-kubernetes-int-or-string": true }, "50%", []],
    [
      "too many",
      { type: "array", items: text, maxItems: 1 },
      ["a", "b"],
      ["Too many: 2: must have at most 1 item"],
    ],
    [
      "anyOf",
      { anyOf: [{ type: "string" }, { type: "integer" }] },
      true,
      [
        'Invalid value: "": "v" must validate at least one schema (anyOf)',
        'Invalid value: "boolean": v in body must be of type string: "boolean"',
      ],
    ],
    [
      "oneOf",
      { oneOf: [{ type: "string" }, { minLength: 1 }] },
      "a",
      ['Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    ["not", { not: { enum: ["a"] } }, "a", ['Invalid value: "": "v" must not validate the schema (not)']],
  ])("%s", (_, schema, value, messages) => {
    expect(inOneGo(validateValue({ v: value }, object({ v: schema }))).map(({ message }) => message)).toEqual(
      messages,
    );
  });

  test("paths lead to the value", () => {
    const schema = object({ a: { type: "array", items: object({ b: text }, { required: ["b"] }) } });
    const errors = inOneGo(validateValue({ a: [{}, { b: 1 }] }, schema));
    expect(errors.map(({ type, field }) => [type, field])).toEqual([
      ["FieldValueRequired", "a[0].b"],
      ["FieldValueTypeInvalid", "a[1].b"],
    ]);
  });
});

describe("JSONPath of printer columns", () => {
  const value = {
    spec: { size: 3, "a.b": 1, list: [{ n: "x" }, { n: "y" }] },
    status: {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Other", status: "False", count: 5 },
      ],
    },
  };
  test.each<[string, readonly unknown[]]>([
    [".spec.size", [3]],
    ["{.spec.size}", [3]],
    [".spec.list[1].n", ["y"]],
    [".spec.list[-1].n", ["y"]],
    [".spec.list[*].n", ["x", "y"]],
    [".spec['a.b']", [1]],
    [String.raw`.spec.a\.b`, [1]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type=='Other')].status", ["False"]],
    [".status.conditions[?(@.count>=5)].type", ["Other"]],
    [".nothing.here", []],
  ])("%s", (path, found) => {
    expect(compileJsonPath(path)(value)).toEqual(found);
  });

  test("what cannot be read is an error", () => {
    expect(() => compileJsonPath(".a[")).toThrow(JsonPathError);
  });
});
