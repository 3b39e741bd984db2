import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LabelOperator, Labels } from "./labels.ts";
import {
  everything,
  labelRequirement,
  nothing,
  requiredLabelValue,
  SelectorError,
  selectorFromLabels,
  selectorFromRequirements,
} from "./labels.ts";
import { parseLabelSelector } from "./labels-parse.ts";
import { labelKeyProblems, labelValueProblems } from "./labels-validate.ts";

type Short = [key: string, operator: LabelOperator, ...values: string[]];
const requirements = (...list: Short[]) =>
  list.map(([key, operator, ...values]) => ({ key, operator, values }));

describe("parseLabelSelector", () => {
  test.each([
    "x=a,y=b,z=c",
    "",
    "x!=a,y=b",
    "x=",
    "x= ",
    "x=,z= ",
    "x= ,z= ",
    "!x",
    "x>1",
    "x>1,z<5",
    "x==a",
  ])("prints %j again without its blanks", (text) => {
    expect(parseLabelSelector(text).toString()).toBe(text.replaceAll(" ", ""));
  });

  test.each([
    "x=a||y=b",
    "x==a==b",
    "!x=a",
    "x<a",
    "x,,y",
    ",x,y",
    "x nott in (y)",
    "a in (xyz),",
    "a in (xyz)b notin ()",
    "a in (xyz abc)",
    "a notin(",
    "a (",
    "(",
    "x in (a",
    "x in (=)",
    "x in a",
    "!",
    "=a",
    "-x=a",
    "x=-a",
    "a//b",
  ])("refuses %j", (text) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError);
  });

  const parsed: [text: string, ...list: Short[]][] = [
    ["\rx", ["x", "exists"]],
    ["this-is-a-dns.domain.com/key-with-dash", ["this-is-a-dns.domain.com/key-with-dash", "exists"]],
    ["another-dns.domain.com/key in (so,what)", ["another-dns.domain.com/key", "in", "so", "what"]],
    [
      "0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)",
      ["0.1.2.domain/99", "notin", "10.10.100.1", "tick.tack.clock"],
    ],
    ["foo  in\t (abc)", ["foo", "in", "abc"]],
    ["x notin\n (abc)", ["x", "notin", "abc"]],
    ["x  notin\t\t(abc,def)", ["x", "notin", "abc", "def"]],
    ["x in (abc,def)", ["x", "in", "abc", "def"]],
    ["x in (abc,)", ["x", "in", "", "abc"]],
    ["x in (abc,abc)", ["x", "in", "abc"]],
    ["x in ()", ["x", "in", ""]],
    ["x in (a,,)", ["x", "in", "", "a"]],
    ["x in (a,,,,,,)", ["x", "in", "", "a"]],
    ["x in (a,,a,,a,,a,,)", ["x", "in", "", "a"]],
    [
      "x notin (abc,,def),bar,z in (),w",
      ["bar", "exists"],
      ["w", "exists"],
      ["x", "notin", "", "abc", "def"],
      ["z", "in", ""],
    ],
    ["x,y in (a)", ["x", "exists"], ["y", "in", "a"]],
    ["x=a", ["x", "=", "a"]],
    ["x==a", ["x", "==", "a"]],
    ["x>1", ["x", "gt", "1"]],
    ["x<7", ["x", "lt", "7"]],
    ["x=a,y!=b,z in (h,i,j)", ["x", "=", "a"], ["y", "!=", "b"], ["z", "in", "h", "i", "j"]],
    ["x notin ( )", ["x", "notin", ""]],
    ["x notin (, a)", ["x", "notin", "", "a"]],
    ["a ", ["a", "exists"]],
    ["a in (x,y,notin, z,in)", ["a", "in", "in", "notin", "x", "y", "z"]],
    ["in in (in)", ["in", "in", "in"]],
    ["notin=in", ["notin", "=", "in"]],
  ];
  test.each(parsed)("understands %j", (text, ...list) => {
    expect(parseLabelSelector(text).requirements).toEqual(requirements(...list));
  });

  test("does not depend on the order of the requirements", () => {
    expect(parseLabelSelector("x=a,a=x").toString()).toBe(parseLabelSelector("a=x,x=a").toString());
  });

  test.each([
    ["x)", "found ')', expected: in, notin, =, ==, !=, gt, lt"],
    ["x exists", "found 'exists', expected: in, notin, =, ==, !=, gt, lt"],
    ["x=a y", "found 'y', expected: ',' or 'end of string'"],
    ["x,", "found '', expected: identifier after ','"],
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["x in y", "found 'y' expected: '('"],
    ["x=)", "found ')', expected: identifier"],
    ["x>b", "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"],
  ])("says what it expected in %j", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

describe("a selector", () => {
  const set: Labels = { foo: "bar", baz: "blah" };
  test.each<[string, Labels | undefined, boolean]>([
    ["", { x: "y" }, true],
    ["x=y", { x: "y" }, true],
    ["x=y,z=w", { x: "y", z: "w" }, true],
    ["x!=y,z!=w", { x: "z", z: "a" }, true],
    ["notin=in", { notin: "in" }, true],
    ["x", { x: "z" }, true],
    ["!x", { y: "z" }, true],
    ["x>1", { x: "2" }, true],
    ["x<1", { x: "0" }, true],
    ["x=z", {}, false],
    ["x=y", { x: "z" }, false],
    ["x=y,z=w", { x: "w", z: "w" }, false],
    ["x!=y,z!=w", { x: "z", z: "w" }, false],
    ["x", { y: "z" }, false],
    ["!x", { x: "z" }, false],
    ["x>1", { x: "0" }, false],
    ["x<1", { x: "2" }, false],
    ["x>1", { x: "1" }, false],
    ["foo=bar", set, true],
    ["foo=bar,baz=blah", set, true],
    ["foo=blah", set, false],
    ["foo=bar,foobar=bar,baz=blah", set, false],
    ["x in (foo),y notin (alpha)", { x: "foo", y: "baz" }, true],
    ["x in (foo),y in (alpha)", { x: "foo", y: "baz" }, false],
    ["x notin (),y", { y: "" }, true],
    ["!x,y", { y: "" }, true],
    ["x notin (),!y", { y: "" }, false],
    ["x in ()", { y: "baz" }, false],
    ["z>1", { z: "v2" }, false],
    ["z>9223372036854775806", { z: "9223372036854775807" }, true],
    ["z>1", { z: "9223372036854775808" }, false],
    ["z<1", { z: "-3" }, true],
    ["!x", undefined, true],
    ["x", undefined, false],
    ["!toString", {}, true],
    ["constructor", {}, false],
  ])("%j on %j: %j", (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  test("everything matches all and is empty, nothing matches none and is not", () => {
    expect(everything.matches({ x: "y" })).toBe(true);
    expect(everything.matches(undefined)).toBe(true);
    expect(everything.empty).toBe(true);
    expect(nothing.matches({})).toBe(false);
    expect(nothing.empty).toBe(false);
    expect(nothing.requirements).toBeUndefined();
    expect(parseLabelSelector("")).toBe(everything);
  });

  test("made from labels asks for all of them", () => {
    expect(selectorFromLabels({ foo: "bar" }).matches(set)).toBe(true);
    expect(selectorFromLabels({ foo: "bar", x: "y" }).matches(set)).toBe(false);
    expect(selectorFromLabels({ app: "foo", a: "b" }).toString()).toBe("a=b,app=foo");
    expect(selectorFromLabels({})).toBe(everything);
    expect(selectorFromLabels(undefined)).toBe(everything);
  });

  test.each<[string, ...Short[]]>([
    ["x in (abc,def),y notin (jkl),z", ["x", "in", "def", "abc"], ["y", "notin", "jkl"], ["z", "exists"]],
    ["x notin (abc,def),y!=jkl,!z", ["x", "notin", "abc", "def"], ["y", "!=", "jkl"], ["z", "!"]],
    ["x=abc,y==jkl,z!=a,z", ["x", "=", "abc"], ["y", "==", "jkl"], ["z", "!=", "a"], ["z", "exists"]],
    ["x>2,y<8,z notin ()", ["x", "gt", "2"], ["y", "lt", "8"], ["z", "notin", ""]],
  ])("prints %s", (text, ...list) => {
    expect(selectorFromRequirements(requirements(...list)).toString()).toBe(text);
  });

  test.each<[string, string, string | undefined]>([
    ["key in (value)", "key", "value"],
    ["key in (value,value2)", "key", undefined],
    ["key in (value,value1),key2 in (value2)", "key2", "value2"],
    ["key=value", "key", "value"],
    ["key==value", "key", "value"],
    ["key!=value", "key", undefined],
    ["key=value", "other", undefined],
  ])("%j demands of %s exactly %j", (text, key, value) => {
    expect(requiredLabelValue(parseLabelSelector(text), key)).toBe(value);
  });

  test("survives printing and parsing", () => {
    const word = fc.stringMatching(/^[a-z0-9]([a-z0-9._-]{0,8}[a-z0-9])?$/);
    const number = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
    const requirement = fc.oneof(
      fc.record({
        key: word,
        operator: fc.constantFrom<LabelOperator>("in", "notin"),
        values: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((values) => values.toSorted()),
      }),
      fc.record({
        key: word,
        operator: fc.constantFrom<LabelOperator>("=", "==", "!="),
        values: fc.tuple(fc.oneof(word, fc.constant(""))),
      }),
      fc.record({
        key: word,
        operator: fc.constantFrom<LabelOperator>("gt", "lt"),
        values: fc.tuple(number),
      }),
      fc.record({
        key: word,
        operator: fc.constantFrom<LabelOperator>("exists", "!"),
        values: fc.constant([]),
      }),
    );
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), (list) => {
        const selector = selectorFromRequirements(list);
        expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements);
      }),
    );
  });
});

describe("labelRequirement", () => {
  const long = "a".repeat(254);
  test.each<[...Short]>([
    ["x3", "in", "foo"],
    ["x4", "notin", "foo"],
    ["x6", "exists"],
    ["x7", "!"],
    ["x11", "gt", "1"],
    ["x12", "lt", "6"],
  ])("accepts %s %s", (key, operator, ...values) => {
    expect(labelRequirement(key, operator, values)).toEqual({ key, operator, values });
  });

  test.each<[where: string, ...Short]>([
    ["values: Invalid value: []", "x1", "in"],
    ["values: Invalid value: []", "x2", "notin"],
    ['values: Invalid value: ["bar","foo"]', "x5", "=", "bar", "foo"],
    ['values: Invalid value: ["foo"]', "x8", "exists", "foo"],
    ["values: Invalid value: []", "x13", "gt"],
    ['values[0]: Invalid value: "bar"', "x14", "gt", "bar"],
    ['values[0]: Invalid value: "bar"', "x15", "lt", "bar"],
    [`key: Invalid value: "${long}": name part must be no more than 63 bytes`, long, "exists"],
    [`values[0][x16]: Invalid value: "${long}": must be no more than 63 bytes`, "x16", "=", long],
    ['values[0][x17]: Invalid value: "a b": a valid label must be an empty string', "x17", "=", "a b"],
  ])("reports %s", (where, key, operator, ...values) => {
    expect(() => labelRequirement(key, operator, values)).toThrow(where);
  });

  test("reports an operator that it does not know", () => {
    expect(() => labelRequirement("x18", "unsupportedOp" as LabelOperator, [])).toThrow(
      'operator: Unsupported value: "unsupportedOp": supported values: "!", "!="',
    );
  });

  test("reports all problems at once", () => {
    expect(() => labelRequirement("-", "=", ["-"])).toThrow(/^\[key: Invalid value: .*, values\[0\]\[-\]: /);
  });
});

describe("label keys and values", () => {
  test.each([
    "simple",
    "now-with-dashes",
    "1-starts-with-num",
    "1234",
    "simple/simple",
    "now-with-dashes/simple",
    "now.with.dots/simple",
    "1-num.2-num/3-num",
    "1234/5678",
    "1.2.3.4/5678",
    "Uppercase_Is_OK_123",
    "example.com/Uppercase_Is_OK_123",
    "requests.storage-foo",
    "a".repeat(63),
    `${"a".repeat(253)}/${"b".repeat(63)}`,
  ])("%s is a key", (key) => {
    expect(labelKeyProblems(key)).toEqual([]);
  });

  test.each([
    "nospecialchars%^=@",
    "cantendwithadash-",
    "-cantstartwithadash-",
    "only/one/slash",
    "Example.com/abc",
    "example_com/abc",
    "example.com/",
    "/simple",
    "a".repeat(64),
    `${"a".repeat(254)}/abc`,
    "newline\n",
  ])("%s is none", (key) => {
    expect(labelKeyProblems(key)).not.toEqual([]);
  });

  test.each(["simple", "now-with-dashes", "1-starts-with-num", "end-with-num-1", "1234", "a".repeat(63), ""])(
    "%s is a value",
    (value) => {
      expect(labelValueProblems(value)).toEqual([]);
    },
  );

  test.each([
    "nospecialchars%^=@",
    "Tama-nui-te-rā.is.Māori.sun",
    "-starts-with-dash",
    "ends-",
    "a".repeat(64),
  ])("%s is none", (value) => {
    expect(labelValueProblems(value)).not.toEqual([]);
  });
});
