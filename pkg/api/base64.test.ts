import fc from "fast-check";
import { expect, test } from "vitest";
import { readBase64 } from "./base64.ts";

/** upstream: encoding/base64/base64_test.go#TestDecodeCorrupt */
test.each<[text: string, wrongAt: number]>([
  ["!!!!", 0],
  ["====", 0],
  ["x===", 1],
  ["=AAA", 0],
  ["A=AA", 1],
  ["AA=A", 2],
  ["AA==A", 4],
  ["AAA=AAAA", 4],
  ["AAAAA", 4],
  ["AAAAAA", 4],
  ["A=", 1],
  ["A==", 1],
  ["AA=", 3],
  ["AAAAAA=", 7],
  ["YWJjZA=====", 8],
  ["A!\n", 1],
  ["A=\n", 1],
])("%j is wrong at %d", (text, wrongAt) => {
  expect(readBase64(text)).toEqual({ wrongAt });
});

test.each([
  ["", ""],
  ["\n", ""],
  ["AAA=\n", "AAA="],
  ["AAAA\n", "AAAA"],
  ["AA==", "AA=="],
  ["AAA=", "AAA="],
  ["AAAA", "AAAA"],
  ["YW\r\nJjZA=\n=", "YWJjZA=="],
  // Bits that are left over are dropped.
  ["YR==", "YQ=="],
])("%j is read as %j", (text, read) => {
  expect(readBase64(text)).toBe(read);
});

test("what has been written is read as it is", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(readBase64(text)).toBe(text);
    }),
  );
});
