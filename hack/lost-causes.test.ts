import { expect, test } from "vitest";
import { lostCauses } from "./lost-causes.ts";
import { syntaxOf } from "./syntax.ts";

const caught = (body: string, binding = " (error)"): string =>
  `try {\n  f();\n} catch${binding} {\n  ${body}\n}\n`;

test.each([
  "throw new Error(`no: ${error.message}`);",
  "throw new WriteError(String(error));",
  "throw new WriteError(messageOf(error));",
  'throw new WriteError("no", { code: 1 });',
  'throw new WriteError("no", { reason: error.reason });',
  'failures.push(new WriteError("no"));',
  'list.map(() => { throw new Error("no"); });',
  'throw new AggregateError([first], "no");',
])("%s loses what was caught", (body) => {
  expect(lostCauses(syntaxOf(caught(body)))).toEqual([4]);
});

test.each([
  'throw new Error("no", { cause: error });',
  'throw new WriteError("no", { code: 1, cause: new OtherError("why", { cause: error }) });',
  'throw new WriteError("no", error);',
  'throw new TransportError("lost", "no", true, sanitised(error));',
  'throw new AggregateError([first, error], "no");',
  'throw new WriteError("no", { ...fields, ...(error && { cause: error }) });',
  "throw error;",
  "throw malformed(error);",
  "new Promise(() => undefined);",
])("%s keeps it", (body) => {
  expect(lostCauses(syntaxOf(caught(body)))).toEqual([]);
});

test("what is caught without a name is lost, and each line is told", () => {
  const source = `// "é" has two bytes\n\n${caught('throw new Error("no");', "")}throw new Error("outside");\n`;
  expect(lostCauses(syntaxOf(source))).toEqual([6]);
  expect(lostCauses(syntaxOf(source + source))).toEqual([6, 14]);
});
