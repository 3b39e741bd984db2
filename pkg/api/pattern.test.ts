import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../test/harness/cpu-time.ts";
import type { Pattern } from "./pattern.ts";
import { PatternError, readPattern } from "./pattern.ts";

function good(source: string): Pattern {
  const read = readPattern(source);
  if (read instanceof PatternError) throw read;
  return read;
}

describe("patterns are Go's", () => {
  test.each([
    ["(?i)^abc$", "ABC", true],
    ["^[[:alpha:]]+$", "ab", true],
    ["^[[:alpha:]]+$", "a1", false],
    [String.raw`\Ab`, "ab", false],
    [String.raw`a\z`, "a\n", false],
    ["a$", "a\n", false],
    ["(?m)a$", "a\n", true],
    ["(?s)a.b", "a\nb", true],
    ["(?P<n>a)", "a", true],
    [String.raw`^\Qa.b\E$`, "a.b", true],
    [String.raw`\p{Greek}`, "α", true],
    [String.raw`\d`, "٣", false],
    ["^.$", "💩", true],
    ["a{,2}", "a{,2}", true],
  ])("%s on %s: %s", (source, text, matches) => {
    expect(good(source).matches(text)).toBe(matches);
  });

  test.each([
    ["(", "missing closing ): `(`"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    [String.raw`(a)\1`, String.raw`invalid escape sequence: ` + "`\\1`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["(a{1000}){1000}", "it repeats too much"],
    ["(((((a{10}){10}){10}){10}){10})", "it repeats too much"],
  ])("%s is none: %s", (source, problem) => {
    const read = readPattern(source);
    expect(read).toBeInstanceOf(PatternError);
    expect((read as PatternError).message).toContain(problem);
  });

  const atom = fc.constantFrom("a", "b", "[ab]", ".", "(?:ab)", "(a|b)", String.raw`\w`);
  const piece = fc
    .tuple(atom, fc.constantFrom("", "*", "+", "?", "{2}", "{0,2}"))
    .map((parts) => parts.join(""));
  const plain = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `^${pieces.join("")}$`);

  test("what JavaScript reads the same way matches the same texts", () => {
    fc.assert(
      fc.property(
        plain,
        fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 }),
        (source, text) => {
          expect(good(source).matches(text)).toBe(new RegExp(source, "u").test(text));
        },
      ),
    );
  });
});

describe("nobody waits for a pattern", () => {
  const nested = fc.letrec<{ readonly pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.constantFrom("a", "[ab]", ".", String.raw`\pL`, "a|b"),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "{2}", "{50}", "{1,100}", "{1000}", "?"))
        .map(([inner, count]) => `(${inner})${count}`),
      fc.tuple(tie("pattern"), tie("pattern")).map((both) => both.join("")),
    ),
  })).pattern;

  test("reading one is quick, whatever is in it", () => {
    fc.assert(
      fc.property(nested, fc.constantFrom("", "(?i)", "^"), (source, start) => {
        expect(cpuTimeMs(() => readPattern(start + source), 1)).toBeLessThan(250);
      }),
      { numRuns: 200 },
    );
  });

  test("one that could run away does not", () => {
    const text = `${"a".repeat(100_000)}!`;
    for (const source of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(x+x+)+y"])
      expect(cpuTimeMs(() => good(source).matches(text))).toBeLessThan(250);
  });
});
