import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../clock/random.ts";
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  generateName,
  randomSuffix,
  safeEncode,
} from "./names.ts";

describe("generated names", () => {
  test("end with five letters of the alphabet", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(generateName("web-", seededRandom(seed))).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      }),
    );
  });

  test("never exceed 63 characters", () => {
    const name = generateName("a".repeat(100), seededRandom(1));
    expect(name).toHaveLength(63);
    expect(name.slice(0, 58)).toBe("a".repeat(58));
  });

  test("use every letter", () => {
    expect(new Set(randomSuffix(seededRandom(1), 2000))).toEqual(new Set("bcdfghjklmnpqrstvwxz2456789"));
  });
});

test("safeEncode takes a letter for each digit", () => {
  expect(safeEncode("0123456789")).toBe("456789bcdf");
});

const label63 = "a".repeat(63);

describe("dnsLabelProblems", () => {
  test.each([
    "a",
    "ab",
    "abc",
    "a1",
    "a-1",
    "a--1--2--b",
    "0",
    "01",
    "012",
    "1a",
    "1-a",
    "1--a--b--2",
    label63,
  ])("accepts %s", (value) => expect(dnsLabelProblems(value)).toEqual([]));

  test.each([
    "",
    "A",
    "ABC",
    "aBc",
    "A1",
    "-",
    "a-",
    "-a",
    "1-",
    "-1",
    "_",
    "a_",
    "a b",
    "a\n",
    `${label63}a`,
  ])("refuses %j", (value) => expect(dnsLabelProblems(value)).toHaveLength(1));

  test("speaks of dots in a subdomain", () => {
    expect(dnsLabelProblems("a.b")).toEqual(["must not contain dots"]);
  });

  test("words its problems as the API server", () => {
    expect(dnsLabelProblems(`A${label63}`)).toEqual([
      "must be no more than 63 characters",
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });
});

describe("dnsSubdomainProblems", () => {
  test.each(["a", "a.b", "0.1-2.c", "1.2.3", `${"a".repeat(251)}.b`])("accepts %s", (value) => {
    expect(dnsSubdomainProblems(value)).toEqual([]);
  });

  test.each(["", "A", ".", "a.", ".a", "a..b", "a.-b", "a_b", "a/b", "a".repeat(254)])(
    "refuses %j",
    (value) => {
      expect(dnsSubdomainProblems(value)).toHaveLength(1);
    },
  );
});

describe("dns1035LabelProblems", () => {
  test.each(["a", "a-1", "abc", label63])("accepts %s", (value) => {
    expect(dns1035LabelProblems(value)).toEqual([]);
  });

  test.each(["", "0", "1a", "a.b", "A", "-a", "a-", `${label63}a`])("refuses %j", (value) => {
    expect(dns1035LabelProblems(value)).toHaveLength(1);
  });
});
