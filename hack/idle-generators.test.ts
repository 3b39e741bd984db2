import { expect, test } from "vitest";
import { declaredIn, idleGenerators } from "./idle-generators.ts";
import { syntaxOf } from "./syntax.ts";

const RULES = syntaxOf(`
  export function* check(): Generator { yield 1; }
  export function tell(): void {}
  export class Rules { *validate(): Generator { yield 1; } *#walk(): Generator { this.#walk(); } async *each() {} }
`);

function linesOf(source: string): readonly number[] {
  const syntax = syntaxOf(source);
  return idleGenerators(syntax, [declaredIn(syntax), declaredIn(RULES)]);
}

test.each([
  "check();",
  "void check();",
  "rules.validate(1);",
  "rules?.validate(1);",
  "if (late) check();",
  "const f = () => { check(); };",
])("%s runs nothing", (source) => {
  expect(linesOf(`// "é" has two bytes\n\n${source}\n`)).toEqual([3]);
});

test.each([
  "for (const each of check()) use(each);",
  "const steps = check();",
  "inOneGo(rules.validate(1));",
  "function* all() { yield* check(); }",
  "tell();",
  "rules.check.tell();",
  "function each(): void {}\neach();",
])("%s is no mistake", (source) => {
  expect(linesOf(source)).toEqual([]);
});

test("private generators, too", () => {
  expect(idleGenerators(RULES, [declaredIn(RULES)])).toEqual([4]);
});
