import { expect, test } from "vitest";
import { warningLines } from "./warning-headers.ts";

const line = (text: string): string => `299 - ${JSON.stringify(text)}`;

test("each text is told once, in the order in which they came", () => {
  expect(warningLines(["b", "a", "b"])).toEqual([line("b"), line("a")]);
});

test("what fits is told as it is", () => {
  const texts = ["x".repeat(4000), "y".repeat(96)];
  expect(warningLines(texts)).toEqual(texts.map(line));
});

test("what does not fit is cut, also what was told before", () => {
  const texts = ["x".repeat(4000), "é".repeat(300), "short"];
  expect(warningLines(texts)).toEqual([line("x".repeat(256)), line("é".repeat(256)), line("short")]);
});

test("of too many, the first are told", () => {
  const texts = Array.from({ length: 100_000 }, (_, at) => `${at} ${"z".repeat(300)}`);
  // Those that were there when it was too much for the first time, and more until it was so again.
  const lines = warningLines(texts);
  expect(lines).toHaveLength(16);
  expect(lines[0]).toBe(line(`0 ${"z".repeat(254)}`));
});

test("many short ones are counted alike", () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `w${String(at).padStart(7, "0")}`);
  expect(warningLines(texts)).toHaveLength(4096 / 8 + 1);
});
