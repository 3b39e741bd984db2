type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const integer = { type: "integer" };
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });
const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
const map = (additionalProperties: unknown, more: Json = {}): Json => ({
  type: "object",
  additionalProperties,
  ...more,
});
const rule = (expression: string, more: Json = {}): Json => ({ rule: expression, ...more });
const ruled = (schema: Json, ...rules: readonly Json[]): Json => ({
  ...schema,
  "x-kubernetes-validations": rules,
});
const short = { type: "string", maxLength: 10 };
const few = { maxItems: 10 };

/** Schemas of a field with rules that definitions may not have. */
export const badRules: Readonly<Record<string, Json>> = {
  "an undeclared name": ruled(object({ a: text }), rule("self.a == b")),
  "an unknown field": ruled(object({ a: text }), rule("self.b == 'x'")),
  "types that do not go together": ruled(integer, rule("self == 'x'")),
  "no bool": ruled(integer, rule("self + 1")),
  "an expression that ends too early": ruled(integer, rule("self >")),
  "two expressions": ruled(integer, rule("self > 1 self < 3")),
  "mixed elements": ruled(integer, rule("self in [1, 'a']")),
  "a pattern that is none": ruled(short, rule("self.matches('(')")),
  "a duration that is none": ruled(integer, rule("duration('1x') > duration('1s') || self > 1")),
  "a message that is no text": ruled(integer, rule("self > 1", { messageExpression: "self" })),
  "a message that cannot be read": ruled(integer, rule("self > 1", { messageExpression: "'a' + self" })),
  "optional old values that are not used": ruled(integer, rule("self > 1", { optionalOldSelf: true })),
  "old values where they are not found again": list(ruled(integer, rule("self > oldSelf")), few),
  "old values in a set": list(ruled(short, rule("self != oldSelf")), {
    ...few,
    "x-kubernetes-list-type": "set",
  }),
  "each with each of many": ruled(list(text), rule("self.all(a, self.exists(b, a == b))")),
  "a long text in a long list": list(ruled(text, rule("self.contains('abc')"))),
  "a pattern on any text": list(ruled(text, rule("self.matches('^[a-z]+$')"))),
  "a costly message": ruled(
    list(text),
    rule("self.size() > 1", { messageExpression: "self.map(a, self.map(b, a + b).join()).join()" }),
  ),
  "fields nobody knows": ruled(
    object({}, { "x-kubernetes-preserve-unknown-fields": true }),
    rule("self.a == 1"),
  ),
  "a field path that leads nowhere": ruled(object({ a: text }), rule("true", { fieldPath: ".b" })),
  "fields of a map": ruled(map(integer), rule("self.a.b == 1")),
  "a default that breaks a rule": { ...ruled(integer, rule("self > 1")), default: 1 },
  "a default that a rule finds incomplete": object({
    a: ruled(object({ b: { ...integer, default: 2 } }, { default: {} }), rule("self.b > 1")),
  }),
  "a default that may not stay as it is": {
    ...ruled(integer, rule("!oldSelf.hasValue() || self > oldSelf.value()", { optionalOldSelf: true })),
    default: 1,
  },
  "a default with a rule within": object({
    a: object({ b: ruled(integer, rule("self > 1", { message: "small" })) }, { default: { b: 1 } }),
  }),
};

export interface RuleCase {
  readonly schema: Json;
  readonly value: unknown;
  /** What it is changed to, one after the other. */
  readonly changes?: readonly unknown[];
}

const range = object({ min: integer, max: integer });
const named = list(object({ name: short, size: integer }, { required: ["name"] }), {
  ...few,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
});
const set = list(short, { ...few, "x-kubernetes-list-type": "set" });

/** Each is a field of its own. */
export const ruleCases: Readonly<Record<string, RuleCase>> = {
  "a rule that holds": { schema: ruled(range, rule("self.min <= self.max")), value: { min: 1, max: 2 } },
  "a rule that does not": { schema: ruled(range, rule("self.min <= self.max")), value: { min: 3, max: 2 } },
  "a message": { schema: ruled(integer, rule("self > 1", { message: " too small " })), value: 1 },
  "a message that is computed": {
    schema: ruled(integer, rule("self > 1", { messageExpression: "'%d is too small'.format([self])" })),
    value: 1,
  },
  "a computed message that fails": {
    schema: ruled(
      integer,
      rule("self > 1", { message: "usual", messageExpression: "string(1 / (self - 1))" }),
    ),
    value: 1,
  },
  "a computed message of two lines": {
    schema: ruled(integer, rule("self > 1", { messageExpression: String.raw`'a\nb'` })),
    value: 1,
  },
  "an empty computed message": {
    schema: ruled(integer, rule("self > 1", { message: "usual", messageExpression: "' '" })),
    value: 1,
  },
  "a reason": { schema: ruled(integer, rule("self > 1", { reason: "FieldValueForbidden" })), value: 1 },
  "a duplicate": { schema: ruled(integer, rule("self > 1", { reason: "FieldValueDuplicate" })), value: 1 },
  "a required one": { schema: ruled(integer, rule("self > 1", { reason: "FieldValueRequired" })), value: 1 },
  "a field path": {
    schema: ruled(range, rule("self.min <= self.max", { fieldPath: ".min" })),
    value: { min: 3, max: 2 },
  },
  "a field path in brackets": {
    schema: ruled(object({ "a.b": integer }), rule("self.a__dot__b > 1", { fieldPath: "['a.b']" })),
    value: { "a.b": 1 },
  },
  "two rules": {
    schema: ruled(integer, rule("self > 1"), rule("self % 2 == 0", { message: "odd" })),
    value: 1,
  },
  "a key that is missing": { schema: ruled(range, rule("self.min > 1")), value: {} },
  "whether it is there": { schema: ruled(range, rule("!has(self.min) || self.min > 1")), value: {} },
  "a division by zero": { schema: ruled(integer, rule("1 / self == 1")), value: 0 },
  "items that break a rule": { schema: list(ruled(integer, rule("self > 1")), few), value: [1, 2, 0] },
  "values that break a rule": {
    schema: map(ruled(integer, rule("self > 1")), { maxProperties: 5 }),
    value: { a: 1, b: 2 },
  },
  "an index outside": { schema: ruled(list(integer, few), rule("self[3] == 1")), value: [1] },
  "keys of a map": {
    schema: ruled(map(integer, { maxProperties: 5 }), rule("self.all(key, key.startsWith('a'))")),
    value: { b: 1 },
  },
  "int or text: a number": {
    schema: ruled({ "x-kubernetes-int-or-string": true }, rule("type(self) == int ? self > 1 : self == 'x'")),
    value: 1,
  },
  "int or text: a text": {
    schema: ruled({ "x-kubernetes-int-or-string": true }, rule("type(self) == int ? self > 1 : self == 'x'")),
    value: "y",
  },
  "int or text: what only numbers can": {
    schema: ruled({ "x-kubernetes-int-or-string": true }, rule("self + 1 > 1")),
    value: "y",
  },
  "a time": {
    schema: ruled({ type: "string", format: "date-time" }, rule("self.getFullYear() > 2000")),
    value: "1999-01-01T00:00:00Z",
  },
  "a date": {
    schema: ruled({ type: "string", format: "date" }, rule("self > timestamp('2000-01-01T00:00:00Z')")),
    value: "1999-01-01",
  },
  "a duration": {
    schema: ruled({ type: "string", format: "duration" }, rule("self <= duration('1h')")),
    value: "2h",
  },
  bytes: {
    schema: ruled({ type: "string", format: "byte", maxLength: 20 }, rule("self == b'abc'")),
    value: "YWJj",
  },
  "a double that is whole": { schema: ruled({ type: "number" }, rule("self < 2.5")), value: 3 },
  "an address": {
    schema: ruled({ type: "string", maxLength: 40 }, rule("isIP(self) && ip(self).family() == 4")),
    value: "::1",
  },
  "a quantity": {
    schema: ruled(short, rule("quantity(self).isLessThan(quantity('1Gi'))")),
    value: "2Gi",
  },
  "sets in another order": {
    schema: ruled(object({ a: set, b: set }), rule("self.a == self.b")),
    value: { a: ["x", "y"], b: ["y", "x"] },
  },
  "sets that differ": {
    schema: ruled(object({ a: set, b: set }), rule("self.a == self.b")),
    value: { a: ["x", "y"], b: ["y", "z"] },
  },
  "sets put together": {
    schema: ruled(object({ a: set, b: set }), rule("(self.a + self.b).size() == 3")),
    value: { a: ["x", "y"], b: ["y", "z"] },
  },
  "lists by keys in another order": {
    schema: ruled(list(named, { maxItems: 2 }), rule("self[0] == self[1]")),
    value: [
      [{ name: "x" }, { name: "y" }],
      [{ name: "y" }, { name: "x" }],
    ],
  },
  "a field with the name of a word of the language": {
    schema: ruled(object({ if: integer }), rule("self.if > 1 && self.__if__ > 1")),
    value: { if: 1 },
  },
  "a value that may not change": {
    schema: ruled(integer, rule("self == oldSelf", { message: "immutable" })),
    value: 1,
    changes: [1, 2],
  },
  "old values of items by their keys": {
    schema: { ...named, items: ruled(named["items"] as Json, rule("self.size >= oldSelf.size")) },
    value: [
      { name: "a", size: 1 },
      { name: "b", size: 5 },
    ],
    changes: [
      [
        { name: "b", size: 6 },
        { name: "c", size: 0 },
      ],
      [{ name: "b", size: 5 }],
    ],
  },
  "old values of a map": {
    schema: map(ruled(integer, rule("self >= oldSelf")), { maxProperties: 5 }),
    value: { a: 1 },
    changes: [{ a: 2, b: 0 }, { a: 1 }],
  },
  "an old value that need not be": {
    schema: ruled(integer, rule("!oldSelf.hasValue() || oldSelf.value() < self", { optionalOldSelf: true })),
    value: 1,
    changes: [2, 2, 1],
  },
  "an old value that must be": {
    schema: ruled(integer, rule("oldSelf.hasValue()", { optionalOldSelf: true, message: "never before" })),
    value: 1,
  },
  "a wrong type beside a rule": {
    schema: ruled(object({ a: integer, b: integer }), rule("self.a > 1")),
    value: { a: 0, b: "x" },
  },
  "too long beside a rule": {
    schema: ruled(object({ a: integer, b: { type: "string", maxLength: 1 } }), rule("self.a > 1")),
    value: { a: 0, b: "xx" },
  },
  "optional fields": { schema: ruled(range, rule("self.?min.orValue(5) < 3")), value: {} },
  "names with dashes": {
    schema: ruled(object({ "a-b": integer }), rule("self.a__dash__b > 1")),
    value: { "a-b": 1 },
  },
  "too much to do": {
    schema: ruled(list({ ...integer }, { maxItems: 300 }), rule("self.all(a, self.all(b, a * b >= 0))")),
    value: Array.from({ length: 300 }, (_, at) => at),
  },
};
