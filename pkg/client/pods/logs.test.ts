import { expect, test } from "vitest";
import { linesOf } from "./logs.ts";

async function* cut(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

test("lines are whole, wherever they are cut, and the last one needs no end", async () => {
  for (const [text, lines] of [
    ["one\nzwölf\n\n🦀 four", ["one", "zwölf", "", "🦀 four"]],
    ["äöü\n", ["äöü"]],
    ["", []],
  ] as const) {
    for (let length = 1; length < 12; length++)
      expect(await Array.fromAsync(linesOf(cut(text, length)))).toEqual(lines);
  }
});
