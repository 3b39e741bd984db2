type Json = Readonly<Record<string, unknown>>;

export interface ValueCase {
  readonly schema: Json;
  readonly value: unknown;
}

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
const map = (additionalProperties: unknown, more: Json = {}): Json => ({
  type: "object",
  additionalProperties,
  ...more,
});
const open = { "x-kubernetes-preserve-unknown-fields": true };
const mapList = (keys: readonly string[]): Json =>
  list(object({ a: text, b: text, c: text }, { required: keys }), {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  });
const embedded = { type: "object", "x-kubernetes-embedded-resource": true, ...open };
const format = (name: string): Json => ({ type: "string", format: name });
const twoOrThree: Json = { anyOf: [{ minLength: 2 }, { maxLength: 3, pattern: "^b" }] };

/** Each value is that of a field of its own, in a definition with all these fields. */
export const valueCases: Readonly<Record<string, ValueCase>> = {
  "zero below a minimum": { schema: { type: "integer", minimum: 0 }, value: -1 },
  "zero at a minimum": { schema: { type: "integer", minimum: 0 }, value: 0 },
  "above a maximum of zero": { schema: { type: "number", maximum: 0 }, value: 0.5 },
  "longer than nothing": { schema: { type: "string", maxLength: 0 }, value: "a" },
  "more items than none": { schema: list(text, { maxItems: 0 }), value: ["a"] },
  "more properties than none": { schema: map(text, { maxProperties: 0 }), value: { a: "b" } },
  "minimum in items": { schema: list({ type: "integer", minimum: 0 }), value: [-1, 0] },
  "length in a map": { schema: map({ type: "string", maxLength: 0 }), value: { a: "b" } },
  "defaults that are zeros": {
    schema: object({
      a: { type: "boolean", default: false },
      b: { type: "integer", default: 0 },
      c: { type: "string", default: "" },
      d: { type: "object", default: {} },
    }),
    value: {},
  },
  "defaults within defaults": {
    schema: object({ a: object({ b: { type: "string", default: "x" } }, { default: {} }) }),
    value: {},
  },
  "default for null in a list": { schema: list({ type: "string", default: "x" }), value: ["a", null] },
  "default for null in a map": { schema: map({ type: "string", default: "x" }), value: { a: null } },
  "null that may be": {
    schema: object({ a: { type: "string", nullable: true, default: "x" } }),
    value: { a: null },
  },
  "null that may not be": { schema: object({ a: text }), value: { a: null } },
  "null in a list": { schema: list(text), value: [null] },
  "null in a map": { schema: map(text), value: { a: null } },
  "null where all is kept": { schema: object({ a: text }, open), value: { a: null, b: null } },
  "null and a default": { schema: object({ a: { type: "string", default: "x" } }), value: { a: null } },
  "missing and required": { schema: object({ a: text }, { required: ["a", "b"] }), value: {} },
  "null and required": { schema: object({ a: text }, { required: ["a"] }), value: { a: null } },
  "pattern of any case": { schema: { type: "string", pattern: "(?i)^abc$" }, value: "ABC" },
  "pattern of a class": { schema: { type: "string", pattern: "^[[:alpha:]]+$" }, value: "ab1" },
  "pattern from the beginning": { schema: { type: "string", pattern: String.raw`\Ab` }, value: "ab" },
  "pattern that could run away": {
    schema: { type: "string", pattern: "^(a+)+$" },
    value: `${"a".repeat(40)}!`,
  },
  "pattern of a sign of two halves": { schema: { type: "string", pattern: "^.$" }, value: "💩" },
  "pattern that ends before a line break": { schema: { type: "string", pattern: "^a$" }, value: "a\n" },
  "pattern of a Unicode class": {
    schema: { type: "string", pattern: String.raw`^\p{Greek}+$` },
    value: "αβγ",
  },
  "length of signs of two halves": { schema: { type: "string", maxLength: 2, minLength: 2 }, value: "💩💩" },
  "wrong types": {
    schema: object({ a: integer, b: text, c: { type: "boolean" }, d: list(text), e: object({}), f: number }),
    value: { a: "x", b: 1, c: "true", d: {}, e: [], f: true },
  },
  "fraction for an integer": { schema: integer, value: 1.5 },
  "integer for a number": { schema: number, value: 3 },
  "too large for an integer": { schema: integer, value: 1e30 },
  "too large for int32": { schema: { type: "integer", format: "int32" }, value: 2 ** 31 },
  "text of a format that is none for texts": { schema: { type: "string", format: "int32" }, value: "a" },
  "exclusive bounds": {
    schema: object({
      a: { type: "integer", minimum: 1, exclusiveMinimum: true },
      b: { type: "number", maximum: 1.5, exclusiveMaximum: true },
    }),
    value: { a: 1, b: 1.5 },
  },
  "bounds with fractions": {
    schema: object({
      a: { type: "number", minimum: 1.5 },
      b: { type: "integer", minimum: 1.5 },
      c: { type: "number", maximum: 1.5 },
    }),
    value: { a: 1, b: 1, c: 2 },
  },
  multiples: {
    schema: object({
      a: { type: "integer", multipleOf: 3 },
      b: { type: "number", multipleOf: 0.1 },
      c: { type: "number", multipleOf: 0.1 },
      d: { type: "number", multipleOf: 0.01 },
    }),
    value: { a: 7, b: 0.3, c: 0.35, d: 1.13 },
  },
  "enum of texts": { schema: { type: "string", enum: ["a", "b"] }, value: "c" },
  "enum of numbers": { schema: { type: "integer", enum: [1, 2] }, value: 3 },
  "enum of objects": { schema: object({ a: text }, { enum: [{ a: "x" }] }), value: { a: "y" } },
  "enum with null": {
    schema: object({ a: { type: "string", nullable: true, enum: ["a", null] } }),
    value: { a: null },
  },
  "number for a text or number": { schema: { "x-kubernetes-int-or-string": true }, value: 5 },
  "fraction for a text or number": { schema: { "x-kubernetes-int-or-string": true }, value: 0.5 },
  "none of any": { schema: { type: "string", ...twoOrThree }, value: "a" },
  "one of any": { schema: { type: "string", ...twoOrThree }, value: "b" },
  "two of one": { schema: { type: "string", oneOf: [{ minLength: 1 }, { maxLength: 3 }] }, value: "a" },
  "none of one": { schema: { type: "string", oneOf: [{ minLength: 2 }, { pattern: "^b" }] }, value: "a" },
  "some of all": { schema: { type: "string", allOf: [{ minLength: 2 }, { pattern: "^a" }] }, value: "a" },
  "none of all": { schema: { type: "string", allOf: [{ minLength: 2 }, { pattern: "^b" }] }, value: "a" },
  "what it must not be": { schema: { type: "string", not: { enum: ["a"] } }, value: "a" },
  "logic deep below": {
    schema: list(object({ a: text, b: text }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] })),
    value: [{ a: "x" }, {}, { a: "x", b: "y" }],
  },
  "best failure": {
    schema: object(
      { a: text, b: text },
      {
        anyOf: [
          { required: ["b"], properties: { a: { minLength: 5 } } },
          { required: ["a"], properties: { a: { minLength: 5 } } },
        ],
      },
    ),
    value: { a: "x" },
  },
  "twice in a set": { schema: list(text, { "x-kubernetes-list-type": "set" }), value: ["a", "b", "a", "a"] },
  "twice in a set of objects": {
    schema: list(object({ a: text, b: text }, { "x-kubernetes-map-type": "atomic" }), {
      "x-kubernetes-list-type": "set",
    }),
    value: [
      { a: "1", b: "2" },
      { b: "2", a: "1" },
    ],
  },
  "twice in a map": { schema: mapList(["a"]), value: [{ a: "x" }, { a: "y" }, { a: "x", c: "z" }] },
  "twice in a map of two keys": {
    schema: mapList(["a", "b"]),
    value: [
      { a: "x", b: "y" },
      { a: "x", b: "z" },
      { a: "x", b: "y" },
    ],
  },
  "no object in a map": { schema: mapList(["a"]), value: ["x"] },
  "twice in a list in a map": {
    schema: map(list(text, { "x-kubernetes-list-type": "set" })),
    value: { k: ["a", "a"] },
  },
  "unknown, deep below": {
    schema: object({ a: list(object({ b: text })), c: map(object({ d: text })) }),
    value: { a: [{ b: "1", x: 1 }], c: { k: { d: "1", x: 1 } }, x: 1 },
  },
  "unknown where all is kept": { schema: { type: "object", ...open }, value: { a: { b: [{ c: 1 }] } } },
  "unknown below what is kept": {
    schema: object({ a: object({ b: text }), l: list(object({ b: text })) }, open),
    value: { a: { b: "1", x: 1 }, l: [{ b: "1", x: 1 }], y: { z: 1 } },
  },
  "lists where all is kept": { schema: list(object({ a: text }), open), value: [{ a: "1", x: { y: 1 } }] },
  "anything in a map": { schema: map(true), value: { a: 1, b: { c: 1 }, d: [{ e: 1 }] } },
  "nothing in a map": { schema: map(false), value: { a: 1 } },
  "too few": {
    schema: object({
      a: list(text, { minItems: 2 }),
      b: map(text, { minProperties: 2 }),
      c: { type: "string", minLength: 2 },
    }),
    value: { a: ["x"], b: { c: "d" }, c: "x" },
  },
  "embedded object": {
    schema: embedded,
    value: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", zzz: 1 }, spec: { x: 1 } },
  },
  "embedded object without a kind": { schema: embedded, value: { metadata: {} } },
  "embedded object of odd names": {
    schema: embedded,
    value: { apiVersion: "a/b/c", kind: "A_b", metadata: { name: "a/b", labels: { "a b": "c" } } },
  },
  "embedded object of wrong types": { schema: embedded, value: { apiVersion: 1, kind: "A" } },
  "embedded object with wrong metadata": {
    schema: embedded,
    value: { apiVersion: "v1", kind: "A", metadata: { labels: 1 } },
  },
  "embedded object with a finalizer": {
    schema: embedded,
    value: { apiVersion: "v1", kind: "A", metadata: { finalizers: ["a"] } },
  },
  "longer than one": { schema: { type: "string", maxLength: 1 }, value: "ab" },
  "minute sixty": { schema: format("date-time"), value: "2024-02-29T00:60:00Z" },
  "second sixty": { schema: format("date-time"), value: "2024-02-29T00:00:60Z" },
  "hour twenty-four": { schema: format("date-time"), value: "2024-02-29T24:00:00Z" },
  "the last second of a day": { schema: format("date-time"), value: "2024-02-29T23:59:59Z" },
  "embedded objects in a list": { schema: list(embedded), value: [{ apiVersion: "v1", kind: "" }] },
  ...Object.fromEntries(
    (
      [
        ["date", "2024-02-29", "2023-02-29"],
        ["date-time", "2024-02-29t00:00:00.5z", "2024-02-29 00:00:00Z"],
        ["duration", "22 ns", "x"],
        ["ipv4", "10.0.0.1", "::1"],
        ["ipv6", "::1", "10.0.0.1"],
        ["cidr", "10.0.0.0/8", "10.0.0.0/33"],
        ["mac", "01:02:03:04:05:ab", "01:02"],
        ["uuid", "01234567-89AB-cdef-0123-456789abcdef", "01234567"],
        ["uuid4", "01234567-89ab-4def-8123-456789abcdef", "01234567-89ab-3def-8123-456789abcdef"],
        ["byte", "YQ==", "YQ="],
        ["hostname", "a.example", "-a"],
        ["email", "a@b.c", "a"],
        ["uri", "https://a/b", "a b"],
        ["isbn10", "0321751043", "0321751044"],
        ["isbn13", "978-0321751041", "978-0321751042"],
        ["isbn", "0321751043", "1"],
        ["creditcard", "4111-1111-1111-1111", "4111-1111-1111-1112"],
        ["ssn", "111-22-3333", "1"],
        ["hexcolor", "#fFf", "#ff"],
        ["rgbcolor", "rgb(1,2,255)", "rgb(1,2,256)"],
        ["bsonobjectid", "507f1f77bcf86cd799439011", "507f"],
        ["password", "", ""],
        ["k8s-short-name", "a-b", "A"],
        ["k8s-long-name", "a.b", "a..b"],
      ] as const
    ).map(([name, good, bad]): [string, ValueCase] => [
      `format ${name}`,
      { schema: object({ good: format(name), bad: format(name) }), value: { good, bad } },
    ]),
  ),
};
