import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fields } from "./fields.ts";
import { parseFieldSelector, requiredFieldValue, selectorFromFields } from "./fields.ts";
import { SelectorError } from "./labels.ts";

describe("parseFieldSelector", () => {
  test.each(["x=a,y=b,z=c", "", "x!=a,y=b", String.raw`x=a||y\=b`, String.raw`x=a\=\=b`])(
    "prints %j again",
    (text) => {
      expect(parseFieldSelector(text).toString()).toBe(text);
    },
  );

  test.each(["x=a||y=b", "x==a==b", "x=a,b", "x in (a)", "x in (a,b,c)", "x", "x=\\", "x=\\\\\\", "x=\\a"])(
    "refuses %j",
    (text) => {
      expect(() => parseFieldSelector(text)).toThrow(SelectorError);
    },
  );

  test.each<[string, ...[field: string, operator: string, value: string][]]>([
    ["a=a,", ["a", "=", "a"]],
    [",a=a", ["a", "=", "a"]],
    ["b==bvalue,c!=cvalue,a=", ["a", "=", ""], ["b", "=", "bvalue"], ["c", "!=", "cvalue"]],
    [String.raw`k=\,,k2=v2`, ["k2", "=", "v2"], ["k", "=", ","]],
    [String.raw`k=\\,k2=v2`, ["k2", "=", "v2"], ["k", "=", "\\"]],
    [String.raw`k=\\\,,k2=v2`, ["k2", "=", "v2"], ["k", "=", "\\,"]],
    ["함=수,목=록", ["목", "=", "록"], ["함", "=", "수"]],
    ["=x", ["", "=", "x"]],
  ])("understands %j", (text, ...terms) => {
    expect(parseFieldSelector(text).requirements).toEqual(
      terms.map(([field, operator, value]) => ({ field, operator, value })),
    );
  });

  test("does not depend on the order of the terms", () => {
    expect(parseFieldSelector("x=a,a=x").toString()).toBe(parseFieldSelector("a=x,x=a").toString());
  });

  test("survives printing and parsing, whatever the values", () => {
    const fields = fc.dictionary(fc.stringMatching(/^[a-z.]{1,6}$/), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(fields, (set) => {
        const parsed = parseFieldSelector(selectorFromFields(set).toString());
        expect(Object.fromEntries(parsed.requirements.map(({ field, value }) => [field, value]))).toEqual(
          set,
        );
        expect(parsed.matches(set)).toBe(true);
      }),
    );
  });
});

describe("a field selector", () => {
  const set: Fields = { foo: "bar", baz: "blah", complex: String.raw`=value\,\ `.trim() };
  test.each<[string, Fields, boolean]>([
    ["", { x: "y" }, true],
    ["x=y", { x: "y" }, true],
    ["x=y,z=w", { x: "y", z: "w" }, true],
    ["x!=y,z!=w", { x: "z", z: "a" }, true],
    ["notin=in", { notin: "in" }, true],
    ["x=y", { x: "z" }, false],
    ["x=y,z=w", { x: "w", z: "w" }, false],
    ["x!=y,z!=w", { x: "z", z: "w" }, false],
    ["foo=bar,baz=blah", set, true],
    ["foo=bar,baz=blah,complex=\\=value\\\\\\,\\\\", set, true],
    ["foo=blah", set, false],
    ["foo=bar,foobar=bar,baz=blah", set, false],
    ["spec.nodeName=", {}, true],
    ["spec.nodeName!=", {}, false],
  ])("%j on %j: %j", (text, fields, expected) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(expected);
  });

  test("knows which value it demands", () => {
    const selector = parseFieldSelector("metadata.name=a,spec.nodeName!=b,x=");
    expect(requiredFieldValue(selector, "metadata.name")).toBe("a");
    expect(requiredFieldValue(selector, "spec.nodeName")).toBeUndefined();
    expect(requiredFieldValue(selector, "x")).toBe("");
    expect(selector.empty).toBe(false);
    expect(parseFieldSelector("").empty).toBe(true);
  });
});
