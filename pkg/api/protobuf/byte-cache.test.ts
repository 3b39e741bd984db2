import { describe, expect, test } from "vitest";
import { ByteCache } from "./byte-cache.ts";

const use = {};

function valueOf(cache: ByteCache, text: string, decode: () => unknown, forUse = use): unknown {
  const bytes = Buffer.from(`<${text}>`);
  return cache.value(forUse, { bytes, at: bytes.length - 1 }, 1, decode);
}

describe("the cache of decoded bytes", () => {
  test("equal bytes are decoded once, and give the same object", () => {
    const cache = new ByteCache();
    const first = valueOf(cache, "labels", () => ({ app: "web" }));
    const second = valueOf(cache, "labels", () => {
      throw new Error("decoded again");
    });
    expect(second).toBe(first);
  });

  test("what other bytes, or another use of the same bytes, decode to is something else", () => {
    const cache = new ByteCache();
    const first = valueOf(cache, "labels", () => ({}));
    expect(valueOf(cache, "label5", () => ({}))).not.toBe(first);
    expect(valueOf(cache, "labels", () => ({}), {})).not.toBe(first);
  });

  test("however many there are, each value is that of its own bytes", () => {
    const cache = new ByteCache();
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 20_000; index++) {
        const text = `text-${index}`;
        expect(valueOf(cache, text, () => text)).toBe(text);
      }
    }
  });

  test("texts beyond ASCII are told apart from their bytes", () => {
    const cache = new ByteCache();
    for (const text of ["ä", "Ã¤", "日本", "ä"]) expect(valueOf(cache, text, () => text)).toBe(text);
  });

  test("long values are not kept", () => {
    const cache = new ByteCache();
    const long = "x".repeat(1_000);
    const first = valueOf(cache, long, () => ({}));
    expect(valueOf(cache, long, () => ({}))).not.toBe(first);
  });
});
