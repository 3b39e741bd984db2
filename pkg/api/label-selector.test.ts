import { describe, expect, test } from "vitest";
import { everything, nothing, SelectorError } from "./labels.ts";
import type { LabelSelectorSpec } from "./label-selector.ts";
import { labelsFromSpec, selectorFromSpec, specFromSelectorText } from "./label-selector.ts";

const matchLabels = { foo: "bar" };
const baz = (operator: string, ...values: string[]) => ({ key: "baz", operator, values });

describe("selectorFromSpec", () => {
  test("a missing selector selects nothing, an empty one everything", () => {
    expect(selectorFromSpec(undefined)).toBe(nothing);
    expect(selectorFromSpec(null)).toBe(nothing);
    expect(selectorFromSpec({})).toBe(everything);
    expect(selectorFromSpec({ matchLabels: {}, matchExpressions: [] })).toBe(everything);
  });

  test.each<[LabelSelectorSpec, string]>([
    [{ matchLabels }, "foo=bar"],
    [{ matchExpressions: [baz("In", "qux", "norf")] }, "baz in (norf,qux)"],
    [{ matchLabels, matchExpressions: [baz("In", "qux", "norf")] }, "baz in (norf,qux),foo=bar"],
    [{ matchExpressions: [baz("NotIn", "a")] }, "baz notin (a)"],
    [{ matchExpressions: [{ key: "baz", operator: "Exists" }] }, "baz"],
    [{ matchExpressions: [{ key: "baz", operator: "DoesNotExist" }] }, "!baz"],
  ])("%j is %s", (spec, text) => {
    expect(selectorFromSpec(spec).toString()).toBe(text);
  });

  test.each<[LabelSelectorSpec, string]>([
    [{ matchExpressions: [baz("Exists", "qux", "norf")] }, "values set must be empty"],
    [{ matchExpressions: [baz("In")] }, "values set can't be empty"],
    [{ matchExpressions: [baz("=", "a")] }, '"=" is not a valid label selector operator'],
    [{ matchExpressions: [baz("toString", "a")] }, '"toString" is not a valid label selector operator'],
    [{ matchLabels: { "": "x" } }, "name part must be non-empty"],
  ])("refuses %j", (spec, message) => {
    expect(() => selectorFromSpec(spec)).toThrow(message);
  });
});

describe("a selector", () => {
  test("is read once, as long as its object is kept", () => {
    let reads = 0;
    const spec: LabelSelectorSpec = {
      get matchLabels() {
        reads++;
        return matchLabels;
      },
    };
    expect(selectorFromSpec(spec)).toBe(selectorFromSpec(spec));
    expect(reads).toBe(1);
  });

  test("that cannot be read is refused each time, and read once", () => {
    let reads = 0;
    const spec: LabelSelectorSpec = {
      get matchExpressions() {
        reads++;
        return [baz("Unknown")];
      },
    };
    for (let time = 0; time < 2; time++) expect(() => selectorFromSpec(spec)).toThrow(SelectorError);
    expect(reads).toBe(1);
  });
});

describe("labelsFromSpec", () => {
  test.each<[LabelSelectorSpec | undefined, Record<string, string>]>([
    [undefined, {}],
    [{ matchLabels }, { foo: "bar" }],
    [
      { matchLabels, matchExpressions: [baz("In", "norf")] },
      { foo: "bar", baz: "norf" },
    ],
    [{ matchExpressions: [baz("In", "norf")] }, { baz: "norf" }],
  ])("%j", (spec, labels) => {
    expect(labelsFromSpec(spec)).toEqual(labels);
  });

  test.each<[LabelSelectorSpec, string]>([
    [{ matchExpressions: [baz("In", "norf", "qux")] }, "without a single value cannot be converted"],
    [{ matchExpressions: [baz("NotIn", "norf")] }, "cannot be converted"],
    [{ matchExpressions: [baz("Exists")] }, "cannot be converted"],
    [{ matchExpressions: [baz("DoesNotExist")] }, "cannot be converted"],
    [{ matchExpressions: [baz("Gt")] }, '"Gt" is not a valid selector operator'],
  ])("refuses %j", (spec, message) => {
    expect(() => labelsFromSpec(spec)).toThrow(message);
  });
});

describe("specFromSelectorText", () => {
  test("keeps the meaning", () => {
    const spec = specFromSelectorText("a=b,c==d,e!=f,g in (y,x),h notin (i),j,!k");
    expect(spec).toEqual({
      matchLabels: { a: "b", c: "d" },
      matchExpressions: [
        { key: "e", operator: "NotIn", values: ["f"] },
        { key: "g", operator: "In", values: ["x", "y"] },
        { key: "h", operator: "NotIn", values: ["i"] },
        { key: "j", operator: "Exists", values: [] },
        { key: "k", operator: "DoesNotExist", values: [] },
      ],
    });
    expect(selectorFromSpec(spec).toString()).toBe("a=b,c=d,e notin (f),g in (x,y),h notin (i),j,!k");
  });

  test("refuses what objects cannot say", () => {
    expect(() => specFromSelectorText("a>1")).toThrow(SelectorError);
  });
});
