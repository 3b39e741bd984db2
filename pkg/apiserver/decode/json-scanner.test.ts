import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateFields, writtenNumbers } from "./json-scanner.ts";

test.each<[string, readonly string[]]>([
  ['{"a":1,"a":2}', ["a"]],
  ['{"a":{"b":1,"c":[{"d":1,"d":2},{"d":3}],"b":2}}', ["a.c[0].d", "a.b"]],
  [String.raw`{"a":"\"a\":1","b":"{\"b\":2}"}`, []],
  [' { "a" : [ ] , "b" : { } , "a" : null } ', ["a"]],
  [String.raw`{"a":1,"\u0061":2}`, ["a"]],
  ["[1,2]", []],
  ['"text"', []],
])("%s", (text, found) => {
  expect(duplicateFields(text)).toEqual(found);
});

test("what JSON.stringify writes never names a field twice", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(duplicateFields(JSON.stringify(JSON.parse(text)))).toEqual([]);
    }),
  );
});

test.each<[string, Record<string, string> | undefined]>([
  ['{"a":1.0,"b":[{"c":-2e3},3],"d":"1.5"}', { a: "1.0", "b[0].c": "-2e3" }],
  ['{"a":true,"b":false,"image":"x:1.25","c":12345}', undefined],
  [String.raw`{"a\"1.5":"\"2.5","b":3}`, undefined],
  ["1E5", { "": "1E5" }],
])("how numbers are written: %s", (text, found) => {
  const numbers = writtenNumbers(text);
  expect(numbers && Object.fromEntries(numbers)).toEqual(found);
});
