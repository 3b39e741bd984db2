import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../../api/wire-json.ts";
import { TransportError } from "../transport.ts";
import { JsonLines } from "./json-lines.ts";
import { ListReader } from "./list-reader.ts";

function read(bytes: Buffer, cuts: readonly number[] = []): { items: unknown[]; rest: unknown } {
  const items: unknown[] = [];
  const reader = new ListReader((item) => items.push(item));
  for (const chunk of cut(bytes, cuts)) reader.push(chunk);
  return { items, rest: reader.end() };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const bounds = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 30 });
const list = fc.record(
  {
    kind: fc.string({ unit: "grapheme" }),
    '\\"items': fc.array(fc.jsonValue(), { maxLength: 3 }),
    'x"items': fc.array(fc.jsonValue(), { maxLength: 3 }),
    metadata: fc.record({
      items: fc.array(fc.jsonValue(), { maxLength: 3 }),
      note: fc.constant('"items": [1]'),
    }),
    items: fc.array(fc.jsonValue(), { maxLength: 6 }),
    after: fc.jsonValue(),
  },
  { requiredKeys: ["items"] },
);

test("any list in any chunks gives the items and the rest that the whole text gives", () => {
  fc.assert(
    fc.property(list, fc.constantFrom(undefined, 2, "\t"), cuts, (value, indent, at) => {
      const text = JSON.stringify(value, undefined, indent);
      const { items, ...rest } = parseJson(text) as { items: unknown[] };
      expect(read(Buffer.from(text), at)).toEqual({ items, rest });
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['{"items":[]}', []],
  ['{"items":[ ]}', []],
  ['{"items":null}', []],
  ['{"kind":"Status"}', []],
  [
    '{"items":[9007199254740993,{"a":9223372036854775807}]}',
    [9007199254740993n, { a: 9223372036854775807n }],
  ],
  ['{"items":[{"a":"]},{\\"\\\\"},[1,2],"x,y",3]}', [{ a: ']},{"\\' }, [1, 2], "x,y", 3]],
])("reads %s", (text, items) => {
  expect(read(Buffer.from(text)).items).toEqual(items);
});

test.each([
  '{"items":[1,]}',
  '{"items":[1',
  '{"items":[{"a":1}]',
  '{"items":["a',
  "[1]",
  "",
  '{"items":[nul]}',
])("refuses %s, quoting none of it", (text) => {
  expect(() => read(Buffer.from(text))).toThrow(TransportError);
  expect(() => read(Buffer.from(text))).not.toThrow(/nul/);
});

test("lines in any chunks give their documents in order", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), cuts, fc.boolean(), (documents, at, lastNewline) => {
      const text = documents.map((document) => JSON.stringify(document)).join("\n");
      const bytes = Buffer.from(lastNewline && documents.length > 0 ? `${text}\n` : text);
      const lines = new JsonLines();
      const read = cut(bytes, at).flatMap((chunk) => lines.push(chunk));
      expect([...read, ...lines.end()]).toEqual(parseJson(JSON.stringify(documents)));
    }),
    { numRuns: 500 },
  );
});

test("a line that breaks off, or is no JSON, is an error that quotes none of it", () => {
  const lines = new JsonLines();
  expect(lines.push(Buffer.from('{"a":1}\r\n\n{"secret'))).toEqual([{ a: 1 }]);
  expect(() => lines.end()).toThrow("a stream broke off inside a line");
  expect(new JsonLines().push(Buffer.from("secret\n"))).toEqual([expect.any(TransportError)]);
});
