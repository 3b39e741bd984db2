import { expect, test } from "vitest";
import type { Json } from "../api/json.ts";
import type { CrdProblem } from "./crd-error.ts";
import { structuralSchema } from "./structural-schema.ts";

const SAFE = Number.MAX_SAFE_INTEGER;
const text = { type: "string" };
const keepsAll = { "x-kubernetes-preserve-unknown-fields": true };

test.each<readonly [what: string, given: Json, made: unknown]>([
  ["what says nothing", { $schema: "x", $id: "y", examples: [1], readOnly: true, type: "string" }, text],
  ["a constant", { const: 1 }, { type: "integer", enum: [1] }],
  ["values without a type", { enum: ["a", null] }, { type: "string", enum: ["a", null], nullable: true }],
  ["values of several types", { enum: ["a", 1] }, { enum: ["a", 1] }],
  ["one type or null", { type: ["string", "null"] }, { type: "string", nullable: true }],
  ["a number or a text, by types", { type: ["integer", "string"] }, { "x-kubernetes-int-or-string": true }],
  [
    "something or null",
    { anyOf: [text, { type: "null" }], description: "d" },
    { ...text, nullable: true, description: "d" },
  ],
  [
    "one of some constants",
    { anyOf: [{ const: "a" }, { const: "b" }] },
    { type: "string", enum: ["a", "b"] },
  ],
  [
    "one of some constants or null",
    { oneOf: [{ const: "a" }, { const: "b" }, { type: "null" }] },
    { type: "string", enum: ["a", "b"], nullable: true },
  ],
  [
    "a number or a text, by alternatives",
    { anyOf: [{ type: "integer", minimum: -SAFE, maximum: SAFE }, text] },
    { "x-kubernetes-int-or-string": true },
  ],
  [
    "limits that are excluded",
    { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 5 },
    { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
  ],
  [
    "limits in the form of definitions",
    { type: "integer", minimum: 1, exclusiveMinimum: true },
    { type: "integer", minimum: 1, exclusiveMinimum: true },
  ],
  [
    "a closed object",
    { type: "object", properties: { a: text }, additionalProperties: false },
    { type: "object", properties: { a: text } },
  ],
  [
    "an open object",
    { type: "object", properties: { a: text }, additionalProperties: {} },
    { type: "object", properties: { a: text }, ...keepsAll },
  ],
  [
    "a map",
    { type: "object", propertyNames: text, additionalProperties: text },
    { type: "object", additionalProperties: text },
  ],
  [
    "a map by pattern",
    { type: "object", patternProperties: { "^(.*)$": text } },
    { type: "object", additionalProperties: text },
  ],
  [
    "anything",
    { type: "object", properties: { a: {}, b: true } },
    { type: "object", properties: { a: keepsAll, b: keepsAll } },
  ],
  ["a list of anything", { type: "array", items: {} }, { type: "array", items: keepsAll }],
  [
    "references",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/t", description: "d" }, b: { $ref: "#/$defs/u" } },
      $defs: { t: text, u: { type: "array", items: { $ref: "#/$defs/t" } } },
    },
    { type: "object", properties: { a: { ...text, description: "d" }, b: { type: "array", items: text } } },
  ],
  [
    "conditions, which have no types",
    {
      type: "object",
      properties: { a: text },
      anyOf: [{ properties: { a: { const: "x" } } }, { required: ["a"], not: {} }],
    },
    {
      type: "object",
      properties: { a: text },
      anyOf: [{ properties: { a: { enum: ["x"] } } }, { required: ["a"], not: {} }],
    },
  ],
])("%s", (_, given, made) => {
  const problems: CrdProblem[] = [];
  expect(structuralSchema(given, "spec", problems)).toEqual(made);
  expect(problems).toEqual([]);
});

test.each<readonly [what: string, given: Json, message: string]>([
  [
    "objects of different form",
    { anyOf: [{ type: "object", properties: { a: text } }, { type: "object" }] },
    "anyOf of values of different form",
  ],
  ["several types", { type: ["string", "boolean"] }, "a value of several types (string, boolean)"],
  ["nothing but null", { type: "null" }, "always null"],
  ["a reference that leads nowhere", { $ref: "#/$defs/x" }, "#/$defs/x leads nowhere"],
  ["a reference to elsewhere", { $ref: "https://x" }, "$ref can only lead to a place in the same schema"],
  ["a tuple", { type: "array", prefixItems: [text] }, "prefixItems has no counterpart"],
  [
    "names of fields",
    { type: "object", propertyNames: { pattern: "x" } },
    "propertyNames have no counterpart",
  ],
  [
    "fields by pattern",
    { type: "object", patternProperties: { "^a": text } },
    "patternProperties have no counterpart",
  ],
  ["what is no schema", { type: "array", items: 3 }, "a schema must be an object"],
])("%s has no form in a definition", (_, given, message) => {
  const problems: CrdProblem[] = [];
  structuralSchema({ type: "object", properties: { it: given } }, "spec", problems);
  expect(problems.map(({ message }) => message).join()).toContain(message);
  expect(problems[0]?.place).toMatch(/^spec\.it/);
});

test("a schema that contains itself is refused where it comes again", () => {
  const problems: CrdProblem[] = [];
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
  structuralSchema({ $ref: "#/$defs/node", $defs: { node } }, "spec", problems);
  expect(problems.map(({ place }) => place)).toEqual(["spec.next"]);
  expect(problems[0]?.message).toContain("contains itself");
});

test("a schema that is deep beyond reason is refused, not read without end", () => {
  let deep: Json = text;
  for (let level = 0; level < 20_000; level++) deep = { type: "array", items: deep };
  const problems: CrdProblem[] = [];
  structuralSchema(deep, "spec", problems);
  expect(problems).toMatchObject([{ message: "the schema is too deep" }]);
});
