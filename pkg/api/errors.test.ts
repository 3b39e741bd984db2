import { describe, expect, test } from "vitest";
import { combinedError, messageOf, throwAfter, throwAll } from "./errors.ts";

const [one, two] = [new Error("one"), new Error("two")];

describe("errors of which several may happen", () => {
  test("are none when there is none", () => {
    expect(combinedError([])).toBeUndefined();
    expect(() => throwAll([])).not.toThrow();
  });

  test("stay themselves when there is one", () => {
    expect(combinedError([one])).toBe(one);
    expect(() => throwAll([one])).toThrow(one);
  });

  test("are all kept, and all quoted", () => {
    const combined = combinedError([one, two]);
    expect(combined).toBeInstanceOf(AggregateError);
    expect(combined).toMatchObject({ errors: [one, two], message: "[one, two]" });
    expect(() => throwAll([one, two])).toThrow("[one, two]");
  });

  test("are quoted once when they say the same, and not at any length", () => {
    const errors = Array.from({ length: 500 }, () => new Error("quota"));
    expect(messageOf(combinedError(errors))).toBe("quota");
    const different = Array.from({ length: 500 }, (_, index) => new Error(`${index}`));
    const combined = combinedError(different);
    expect(messageOf(combined)).toBe("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 490 more]");
    expect(combined).toMatchObject({ errors: different });
  });
});

describe("what is done because of an error", () => {
  test("is done before that is thrown", async () => {
    const done: string[] = [];
    await expect(throwAfter(one, async () => void done.push("told"))).rejects.toBe(one);
    expect(done).toEqual(["told"]);
  });

  test("is thrown with it, not in its place, when it fails", async () => {
    const both = throwAfter(one, () => Promise.reject(two));
    await expect(both).rejects.toMatchObject({ errors: [one, two], message: "[one, two]" });
  });
});

test("what is thrown without being an Error has a message as well", () => {
  expect([messageOf("text"), messageOf(undefined), messageOf(one)]).toEqual(["text", "undefined", "one"]);
});
