type Json = Readonly<Record<string, unknown>>;

const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
/** A schema with one field. */
const field = (schema: Json, more: Json = {}): Json => object({ f: schema }, more);
const open = { "x-kubernetes-preserve-unknown-fields": true };
const anyNumberOrText = [{ type: "integer" }, { type: "string" }];
const embedded = (more: Json = {}): Json => ({
  type: "object",
  "x-kubernetes-embedded-resource": true,
  ...more,
});
const mapList = (item: Json, keys: readonly string[] = ["k"], more: Json = {}): Json => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: item,
  ...more,
});
const keyed = (key: Json, more: Json = {}): Json => ({
  type: "object",
  required: ["k"],
  properties: { k: key },
  ...more,
});
const text = { type: "string" };

/** Schemas that are taken as they are. */
export const goodSchemas: Readonly<Record<string, Json>> = {
  "fields within items and values that say nothing": {
    type: "object",
    properties: {
      list: {
        type: "array",
        items: { type: "string", description: "", enum: [], required: [], nullable: false },
      },
      map: { type: "object", additionalProperties: { type: "string", title: "", allOf: [], format: "" } },
    },
  },
  empty: { type: "object" },
  "zeros of numbers": field({ type: "integer", minimum: 0, maximum: 0, multipleOf: 1 }),
  "zeros of lengths": field({ type: "string", minLength: 0, maxLength: 0 }),
  "zeros of lists": field({ type: "array", items: text, minItems: 0, maxItems: 0 }),
  "zeros of maps": field({ type: "object", minProperties: 0, maxProperties: 0, additionalProperties: text }),
  "defaults that are zeros": object({
    a: { type: "boolean", default: false },
    b: { type: "integer", default: 0 },
    c: { type: "string", default: "" },
    d: { type: "object", default: {} },
    e: { type: "array", items: text, default: [] },
    f: { type: "number", default: 0.5 },
  }),
  "zeros in items": field({ type: "array", items: { type: "integer", minimum: 0, default: 0 } }),
  "zeros in values of maps": field({
    type: "object",
    additionalProperties: { type: "string", maxLength: 0, default: "" },
  }),
  "a default of null": field({ type: "string", default: null }),
  "no more properties": field({ type: "object", additionalProperties: false }),
  "any more properties": field({ type: "object", additionalProperties: true }),
  "unknown fields within items": field({ type: "array", items: { type: "string", zzz: 1, nullable: false } }),
  "items of no schema": field({ type: "array", items: text, nullable: true }),
  "enum with null": field({ type: "string", nullable: true, enum: ["a", null] }),
  "text or number": field({ "x-kubernetes-int-or-string": true, anyOf: anyNumberOrText }),
  "text or number, and more": field({
    "x-kubernetes-int-or-string": true,
    allOf: [{ anyOf: anyNumberOrText }, { pattern: "^a" }],
  }),
  "all kept": { type: "object", ...open },
  "kept without a type": field(open),
  "embedded object": field(embedded(open)),
  "embedded object with metadata": field(
    embedded({ properties: { metadata: { type: "object" }, kind: text, apiVersion: text } }),
  ),
  "names in metadata": object({
    metadata: { type: "object", properties: { name: { type: "string", pattern: "^a" } } },
  }),
  "logic of what is declared": object(
    { a: text, b: { type: "array", items: { type: "integer" } } },
    {
      anyOf: [{ required: ["a"] }, { properties: { a: { minLength: 1 }, b: { items: { minimum: 1 } } } }],
      not: { properties: { a: { enum: ["x"] } } },
    },
  ),
  "patterns of Go": object({
    a: { type: "string", pattern: "(?i)^[[:alpha:]]+$" },
    b: { type: "string", pattern: String.raw`\Aa\z` },
    c: { type: "string", pattern: "^(a+)+$" },
  }),
  "sets and maps": object({
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    sets: {
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "object", "x-kubernetes-map-type": "atomic" },
    },
    map: mapList(keyed(text)),
    defaulted: mapList({ type: "object", properties: { k: { type: "string", default: "" } } }),
    granular: { type: "object", "x-kubernetes-map-type": "granular", additionalProperties: text },
  }),
  "a default by the schema": object({
    a: object({ b: { type: "integer", minimum: 1 } }, { default: { b: 1 } }),
    list: { type: "array", items: { type: "string", default: "x" }, default: ["a"] },
    map: { type: "object", additionalProperties: { type: "string", default: "x" } },
    any: { "x-kubernetes-int-or-string": true, default: "50%" },
    open: { type: "object", ...open, default: { whatever: [1] } },
    none: { type: "string", nullable: true, default: "a" },
  }),
  "a default of an embedded object": field(
    embedded({ ...open, default: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } } }),
  ),
  "unknown formats": object({
    a: { type: "string", format: "nope" },
    b: { type: "integer", format: "int8" },
  }),
};

const nestedStranger = (more: Json): Json => field(text, { anyOf: [{ properties: { f: more } }] });

/** Schemas that are refused. */
export const badSchemas: Readonly<Record<string, Json>> = {
  "root without a type": { properties: {} },
  "root of another type": { type: "array", items: text },
  "root that may be null": { type: "object", nullable: true },
  "more properties at the root": { type: "object", additionalProperties: text },
  "unknown type": field({ type: "text" }),
  "type null": field({ type: "null" }),
  "field without a type": field({ minLength: 1 }),
  "item without a type": field({ type: "array", items: {} }),
  "list without items": field({ type: "array" }),
  "items of several schemas": field({ type: "array", items: [text, text] }),
  uniqueItems: field({ type: "array", items: text, uniqueItems: true }),
  "properties and more": field({ type: "object", properties: { a: text }, additionalProperties: text }),
  "properties and no more": field({ type: "object", properties: { a: text }, additionalProperties: false }),
  "kept is false": field({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  id: field({ type: "string", id: "a" }),
  $schema: field({ type: "string", $schema: "a" }),
  $ref: field({ type: "string", $ref: "a" }),
  definitions: field({ type: "string", definitions: { a: text } }),
  dependencies: field({ type: "object", dependencies: { a: ["b"] } }),
  additionalItems: field({ type: "array", items: text, additionalItems: true }),
  patternProperties: field({ type: "object", patternProperties: { a: text } }),
  "int-or-string with a type": field({
    type: "integer",
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "string" }],
  }),
  "int-or-string that keeps": field({ "x-kubernetes-int-or-string": true, ...open }),
  "int-or-string that is embedded": field({
    type: "object",
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-embedded-resource": true,
  }),
  "types in the wrong order": field({
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "string" }, { type: "integer" }],
  }),
  "embedded without properties": field(embedded()),
  "embedded of another type": field({ type: "string", "x-kubernetes-embedded-resource": true, ...open }),
  "embedded without a type": field({ "x-kubernetes-embedded-resource": true, ...open }),
  "embedded with more properties": field(embedded({ ...open, additionalProperties: text })),
  "embedded in metadata": object({
    metadata: { type: "object", properties: { name: { ...text, ...embedded(open) } } },
  }),
  "kind of another type": object({ kind: { type: "integer" }, apiVersion: { type: "object" } }),
  "metadata of another type": object({ metadata: text }),
  "labels in metadata": object({ metadata: object({ labels: { type: "object" } }) }),
  "a default in metadata": object({ metadata: object({ name: { type: "string", default: "a" } }) }),
  "a default of kind": object({ kind: { type: "string", default: "A" } }),
  "metadata in logic": { type: "object", anyOf: [{ properties: { metadata: {} } }] },
  "type in logic": nestedStranger({ type: "string" }),
  "default in logic": nestedStranger({ default: "a" }),
  "words in logic": nestedStranger({ title: "a", description: "b" }),
  "null in logic": nestedStranger({ nullable: true }),
  "extensions in logic": nestedStranger({
    ...open,
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-list-type": "atomic",
    "x-kubernetes-map-type": "atomic",
  }),
  "keys in logic": nestedStranger({ "x-kubernetes-list-map-keys": ["a"] }),
  "more properties in logic": nestedStranger({ additionalProperties: { minLength: 1 } }),
  "logic of what is not declared": {
    type: "object",
    allOf: [{ properties: { a: { minLength: 1 } } }],
    oneOf: [{ properties: { b: { items: { minimum: 1 } } } }],
    not: { items: { minimum: 1 } },
  },
  "logic of items that are not declared": object(
    { a: { type: "object" } },
    { anyOf: [{ properties: { a: { items: {} } } }] },
  ),
  "bad pattern": object({ a: { type: "string", pattern: "(" }, b: { type: "string", pattern: "(?=a)" } }),
  "bad pattern in logic": field(text, { anyOf: [{ properties: { f: { pattern: "a**" } } }] }),
  "list type of a text": field({ type: "string", "x-kubernetes-list-type": "atomic" }),
  "list type of anything": field({ ...open, "x-kubernetes-list-type": "atomic" }),
  "unknown list type": field({ type: "array", items: text, "x-kubernetes-list-type": "bag" }),
  "map type of a list": field({ type: "array", items: text, "x-kubernetes-map-type": "atomic" }),
  "map type of anything": field({ ...open, "x-kubernetes-map-type": "atomic" }),
  "unknown map type": field({ type: "object", "x-kubernetes-map-type": "loose" }),
  "map without keys": field({ type: "array", "x-kubernetes-list-type": "map", items: keyed(text) }),
  "map of texts": field(mapList(text)),
  "map of nothing": field({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
  }),
  "keys of no map": field({ type: "array", items: text, "x-kubernetes-list-map-keys": ["k"] }),
  "keys of a set": field({
    type: "array",
    items: text,
    "x-kubernetes-list-type": "set",
    "x-kubernetes-list-map-keys": ["k"],
  }),
  "unknown key": field(mapList(keyed(text), ["other"])),
  "key twice": field(mapList(keyed(text), ["k", "k"])),
  "key of a list": field(mapList(keyed({ type: "array", items: text }))),
  "key that may be missing": field(mapList({ type: "object", properties: { k: text } })),
  "key that may be null": field(mapList(keyed({ type: "string", nullable: true }))),
  "item that may be null": field(mapList(keyed(text, { nullable: true }))),
  "set of what may be null": field({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "string", nullable: true },
  }),
  "set of maps": field({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
  "set of sets": field({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  }),
  "default of another type": field({ type: "integer", default: "a" }),
  "default out of range": field({ type: "integer", minimum: 1, default: 0 }),
  "default against a pattern": field({ type: "string", pattern: "^a$", default: "b" }),
  "default that is unknown": field({ type: "object", properties: { a: text }, default: { b: 1 } }),
  "default without a field": field({ type: "object", properties: { a: text }, required: ["a"], default: {} }),
  "defaults deep below": object({
    a: { type: "array", items: object({ b: { type: "integer", default: 1.5 } }) },
  }),
  "default of a set": field({ type: "array", items: text, "x-kubernetes-list-type": "set", default: [1] }),
  "default of an embedded object without a kind": field(embedded({ ...open, default: { apiVersion: "v1" } })),
  "default of an embedded object with odd metadata": field(
    embedded({ ...open, default: { apiVersion: "v1", kind: "A", metadata: { labels: 5 } } }),
  ),
  "default of an embedded object with a bad name": field(
    embedded({ ...open, default: { apiVersion: "a/b/c", kind: "A_", metadata: { name: "a/b" } } }),
  ),
  "default in embedded metadata": field(
    embedded({ properties: { metadata: object({ name: { type: "string", default: "a/b" } }) } }),
  ),
  "default in a map of embedded metadata": field(
    embedded({
      properties: {
        metadata: object({
          labels: { type: "object", additionalProperties: { type: "string", default: "a" } },
        }),
      },
    }),
  ),
  "default of an unknown format": field({ type: "string", format: "nope", default: 5 }),
  "default of a type beside int-or-string": field({
    type: "string",
    "x-kubernetes-int-or-string": true,
    default: 5,
  }),
  "rules without form": field({
    type: "string",
    "x-kubernetes-validations": [
      { rule: " " },
      { rule: "true", message: " " },
      { rule: "true", message: "a\nb" },
      { rule: "true\n" },
      { rule: "true ||\ntrue" },
      { rule: "true", messageExpression: " " },
      { rule: "true", fieldPath: " " },
      { rule: "true", fieldPath: ".nope" },
    ],
  }),
};
