import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { YamlError } from "../decode/yaml-scalar.ts";
import { parseYaml } from "../decode/yaml-text.ts";
import { encodeListYaml, toYaml, yamlPieces } from "./encode-yaml.ts";

describe("YAML that is written", () => {
  const odd = [
    "",
    "~",
    "null",
    "yes",
    "Off",
    "y",
    "1",
    "0x1F",
    "0o17",
    "017",
    "1_000",
    "1e3",
    ".5",
    ".inf",
    "2020-01-01",
    "<<",
    "- a",
    "a: b",
    "a\nb\n",
    "#",
    "'",
    '"',
    "é💩",
    " a ",
    "\t",
    "!x",
    "&a",
    "*a",
    "0b1",
    "12:30:00",
    "=",
    "...",
  ];
  const leaf = fc.oneof(
    fc.constantFrom(...odd),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.constantFrom(0.5, -1.25, 9_007_199_254_740_993n, -(2n ** 63n), 1e21),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...odd), fc.string()), tie("value"), { maxKeys: 4 }),
    ),
  }));

  test("is read as what it was", () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(parseYaml(toYaml({ one })).value).toEqual(JSON.parse(JSON.stringify({ one }), exact));
      }),
    );
  });

  test("is the same in pieces, however small", () => {
    const lines = fc.string({ unit: fc.constantFrom("a", " ", "\n", "-", ":", "#"), maxLength: 12 });
    const texts = fc.dictionary(lines, fc.oneof(value, fc.array(lines), fc.dictionary(lines, lines)));
    fc.assert(
      fc.property(fc.oneof(value, texts), fc.integer({ min: 1, max: 8 }), (one, most) => {
        expect([...yamlPieces({ one }, most)].join("")).toBe(toYaml({ one }));
      }),
    );
  });

  test("a list in pieces is the list", () => {
    const list = { kind: "AList", apiVersion: "v1", metadata: { resourceVersion: "5" }, bareItems: true };
    const items = [{ kind: "A", apiVersion: "v1", metadata: { name: "a" } }, { metadata: { name: "b" } }];
    const written = (all: typeof items): unknown =>
      parseYaml([...encodeListYaml({ ...list, items: all })].join("")).value;
    const head = { apiVersion: "v1", kind: "AList", metadata: { resourceVersion: "5" } };
    expect(written(items)).toEqual({
      ...head,
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    expect(written([])).toEqual({ ...head, items: [] });
  });
});

/** Whole numbers beyond 2^53 are bigints. */
function exact(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return /^-?\d{16,19}$/.test(context?.source ?? "") ? BigInt(context?.source ?? "") : value;
}

describe("YAML that is read", () => {
  test.each<[string, unknown]>([
    ["a: yes\nb: off\nc: y", { a: true, b: false, c: true }],
    ["a: 0x10\nb: 010\nc: 0b11\nd: 1_000\ne: +5", { a: 16, b: 8, c: 3, d: 1000, e: 5 }],
    ["a: 9007199254740993", { a: 9_007_199_254_740_993n }],
    ["a: 1.5e3\nb: .5\nc: 1.", { a: 1500, b: 0.5, c: 1 }],
    ["a: 2020-01-01\nb: 12:30", { a: "2020-01-01", b: "12:30" }],
    ["a: '1'\nb: !!str 1\nc: \"yes\"", { a: "1", b: "1", c: "yes" }],
    ["a: ~\nb:\nc: null", { a: null, b: null, c: null }],
    ["1: a\ntrue: b", { 1: "a", true: "b" }],
    ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}", { x: { a: 1, b: 2 }, z: { a: 1, b: 3 } }],
    ["a: 1\n---\nb: 2", { a: 1 }],
    ["# nothing", null],
    ["__proto__: {a: 1}", JSON.parse('{"__proto__": {"a": 1}}')],
  ])("%s", (text, value) => {
    expect(parseYaml(text).value).toEqual(value);
  });

  test("what is there twice is named by its line", () => {
    expect(parseYaml("a: 1\nb: 2\na: 3").duplicates).toEqual(['line 3: key "a" already set in map']);
  });

  test.each([
    "a: [",
    "a: b: c",
    "\ta: 1",
    "*x",
    "? [a]\n: b",
    "<<: 5",
    "a: @",
    "a: .inf",
    "a: .NaN",
    "a: !!int 1.5",
  ])("%s is none", (text) => {
    expect(() => parseYaml(text)).toThrow(YamlError);
  });

  test("aliases of aliases end in an error, and so does what is too deep", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let at = 1; at < 9; at++)
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(", ")}]`);
    expect(() => parseYaml(lines.join("\n"))).toThrow("excessive aliasing");
    expect(() => parseYaml("[".repeat(5000))).toThrow("exceeded max depth");
  });
});
