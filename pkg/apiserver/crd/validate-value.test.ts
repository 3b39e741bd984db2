import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/harness/cpu-time.ts";
import { duplicatesInLists } from "./list-types.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import { inOneGo } from "../../api/steps.ts";
import type { FieldError } from "../kinds/kind.ts";
import { validateValue } from "./validate-value.ts";

const text: OpenApiSchema = { type: "string" };
const list = (items: OpenApiSchema, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: "array",
  items,
  ...more,
});
const range = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

describe("what stays as it was may stay wrong", () => {
  const schema: OpenApiSchema = {
    type: "object",
    properties: {
      a: { type: "integer", minimum: 5 },
      b: { type: "integer", minimum: 5 },
      map: list(
        { type: "object", properties: { k: text, v: { type: "integer", minimum: 5 } } },
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
      ),
      list: list({ type: "integer", minimum: 5 }),
    },
  };
  const fields = (value: object, before: object): readonly string[] =>
    inOneGo(validateValue(value, schema, { before })).map(({ field }) => field);

  test("fields, and items of maps", () => {
    expect(fields({ a: 1, b: 2 }, { a: 1, b: 1 })).toEqual(["b"]);
    const before = {
      map: [
        { k: "x", v: 1 },
        { k: "y", v: 1 },
      ],
    };
    expect(
      fields(
        {
          map: [
            { k: "y", v: 1 },
            { k: "x", v: 2 },
            { k: "z", v: 1 },
          ],
        },
        before,
      ),
    ).toEqual(["map[1].v", "map[2].v"]);
  });

  test("items of other lists are new when anything in the list is", () => {
    expect(fields({ list: [1, 2] }, { list: [1, 2] })).toEqual([]);
    expect(fields({ list: [1, 2, 9] }, { list: [1, 2] })).toEqual(["list[0]", "list[1]"]);
  });
});

describe("no value takes long to be checked", () => {
  const limitMs = 150;
  const within = (value: unknown, schema: OpenApiSchema): readonly FieldError[] => {
    let errors: readonly FieldError[] = [];
    expect(cpuTimeMs(() => (errors = inOneGo(validateValue(value, schema))), 1)).toBeLessThan(limitMs);
    return errors;
  };

  test("a list of mistakes: enough of them are told", () => {
    expect(within(range(400_000), list(text))).toHaveLength(500);
  });

  test("a list without duplicates, and a set", () => {
    expect(within(range(200_000), list({ type: "integer" }, { uniqueItems: true }))).toEqual([]);
    const set = {
      type: "object",
      properties: { a: list({ type: "integer" }, { "x-kubernetes-list-type": "set" }) },
    };
    expect(cpuTimeMs(() => inOneGo(duplicatesInLists({ a: range(200_000) }, set)), 1)).toBeLessThan(
      2 * limitMs,
    );
  });

  test("a large enum", () => {
    const values = range(50_000).map(String);
    expect(within(values, list({ type: "string", enum: values }))).toEqual([]);
  });

  test("an enum of objects", () => {
    const values = range(5_000).map((n) => ({ n }));
    const [error] = within(values, list({ type: "object", enum: values }));
    expect(error?.message).toContain("takes too many checks");
  });

  test("logic in logic", () => {
    let schema: OpenApiSchema = { minLength: 2 };
    for (let depth = 0; depth < 25; depth++) schema = { anyOf: [schema, schema] };
    const [error] = within("a", schema);
    expect(error?.message).toContain("takes too many checks");
  });

  test("a long text and a costly pattern", () => {
    const ab = Array.from({ length: 1_000_000 }, (_, at) => ((at * 2_654_435_761) % 7 < 3 ? "a" : "b")).join(
      "",
    );
    const [error] = within(ab, { type: "string", pattern: "(a|b)*a(a|b){100}$" });
    expect(error?.message).toContain("is too long to be matched");
    expect(within("a".repeat(100_000), { type: "string", pattern: "^[a-z]*$" })).toEqual([]);
  });
});
