import fc from "fast-check";

type Json = Readonly<Record<string, unknown>>;
type Members = fc.Arbitrary<Json>;

/** Members that are there now and then: once in `rarity` times. */
function now(rarity: number, members: Members): Members {
  return fc.oneof({ weight: rarity - 1, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: members });
}

function all(...parts: readonly Members[]): Members {
  return fc.tuple(...parts).map((found) => Object.assign({}, ...found) as Json);
}

const member = (name: string, ...values: readonly unknown[]): Members =>
  fc.constantFrom(...values).map((value) => ({ [name]: value }));
const nested = (name: string, value: fc.Arbitrary<unknown>): Members => value.map((one) => ({ [name]: one }));

const values = [0, 1, -1, 0.5, "", "a", true, false, [], ["a"], {}, { a: 1 }, { a: "x", b: [1] }];
const resource = { apiVersion: "v1", kind: "K", metadata: { name: "x" } };

const plain = all(
  member("type", "string", "integer", "number", "boolean", "object", "object", "array", "array", ""),
  now(6, member("minimum", 0, 1, 1.5)),
  now(8, member("maxLength", 0, 3)),
  now(8, member("pattern", "^a", "(", "(?i)x", "[[:alpha:]]")),
  now(8, member("format", "date", "int32", "nope", "ipv4")),
  now(8, member("enum", [1, "a"], [{ a: 1 }])),
  now(4, member("default", ...values, resource)),
  now(6, member("nullable", true, false)),
  now(10, member("description", "d")),
  now(20, member("uniqueItems", true)),
  now(10, member("x-kubernetes-preserve-unknown-fields", true, true, true, false)),
  now(12, member("x-kubernetes-int-or-string", true)),
  now(12, member("x-kubernetes-embedded-resource", true)),
  now(12, member("x-kubernetes-map-type", "atomic", "granular", "x")),
  now(6, member("x-kubernetes-list-type", "set", "map", "map", "atomic", "x")),
  now(8, member("x-kubernetes-list-map-keys", ["a"], ["a", "b"], ["a", "a"], ["z"])),
  now(5, member("required", ["a"], ["b"])),
  now(10, member("minProperties", 0, 1)),
  now(40, member("anyOf", [{ type: "integer" }, { type: "string" }])),
  now(60, member("id", "x")),
  now(60, member("additionalItems", true)),
);

const named = (inner: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  all(
    now(2, nested("a", inner)),
    now(2, nested("b", inner)),
    now(10, nested("metadata", inner)),
    now(10, nested("kind", inner)),
  );

const { schema, logic } = fc.letrec<{ readonly schema: Json; readonly logic: Json }>((tie) => ({
  logic: all(
    now(3, member("minLength", 0, 1)),
    now(3, member("required", ["a"])),
    now(3, nested("properties", named(tie("logic")))),
    now(6, nested("items", tie("logic"))),
    now(15, member("type", "string")),
    now(15, member("additionalProperties", true, {})),
    now(15, nested("anyOf", fc.array(tie("logic"), { minLength: 1, maxLength: 2 }))),
  ),
  schema: all(
    plain,
    now(2, nested("properties", named(tie("schema")))),
    now(2, nested("items", tie("schema"))),
    now(6, nested("additionalProperties", fc.oneof(fc.boolean(), tie("schema")))),
    now(10, nested("allOf", fc.array(tie("logic"), { minLength: 1, maxLength: 2 }))),
    now(10, nested("oneOf", fc.array(tie("logic"), { minLength: 1, maxLength: 2 }))),
    now(20, nested("not", tie("logic"))),
  ),
}));

/** Schemas most of which have something wrong with them. */
export const rootSchemas: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: schema.map((f) => ({ type: "object", properties: { f } })) },
  { weight: 1, arbitrary: fc.tuple(schema, logic).map(([one, more]): Json => ({ ...one, ...more })) },
);
