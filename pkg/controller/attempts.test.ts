import { describe, expect, test } from "vitest";
import { settle } from "../testing/virtual-clock.ts";
import { attemptEach, attempts } from "./attempts.ts";

const failed = (count: number): string => `${count} were refused`;
const { signal } = new AbortController();

describe("parts of a sync", () => {
  test("are all tried, and what failed is kept", async () => {
    const { errors, attempt } = attempts(signal);
    const refused = new Error("refused");
    expect(await attempt(async () => Promise.reject(refused))).toBeUndefined();
    expect(await attempt(async () => "done")).toBe("done");
    expect(errors).toEqual([refused]);
  });

  test("end with the sync", async () => {
    const { attempt } = attempts(AbortSignal.abort(new Error("over")));
    await expect(attempt(async () => Promise.reject(new Error("cut off")))).rejects.toThrow("over");
  });
});

describe("items", () => {
  test("are all tried, and one error stands for what failed", async () => {
    const tried: number[] = [];
    const act = async (item: number): Promise<void> => {
      tried.push(item);
      if (item !== 2) throw new Error(`no ${item}`);
    };
    const thrown = await attemptEach([1, 2, 3], act, { signal, failed }).catch((error: unknown) => error);
    expect(tried).toEqual([1, 2, 3]);
    expect(thrown).toMatchObject({
      message: "2 were refused",
      errors: [new Error("no 1"), new Error("no 3")],
    });
  });

  test("may fail in a way that is no failure", async () => {
    const act = async (): Promise<void> => Promise.reject(new Error("gone"));
    const unless = (error: unknown): boolean => (error as Error).message === "gone";
    await expect(attemptEach([1], act, { signal, failed, unless })).resolves.toBeUndefined();
  });

  test("end with the sync", async () => {
    const stop = new AbortController();
    const tried: number[] = [];
    const act = async (item: number): Promise<void> => {
      tried.push(item);
      stop.abort(new Error("over"));
      throw new Error("cut off");
    };
    await expect(attemptEach([1, 2], act, { signal: stop.signal, failed })).rejects.toThrow("over");
    expect(tried).toEqual([1]);
  });

  test("are asked for by no more than there are", async () => {
    let asked = 0;
    const one = { [Symbol.iterator]: () => ({ next: () => ({ done: asked++ > 0, value: 1 }) }) };
    await attemptEach(one, async () => undefined, { signal, failed, atOnce: 500 });
    expect(asked).toBeLessThan(5);
  });

  test("are worked on as many at a time as is said, each once", async () => {
    const held: (() => void)[] = [];
    const tried: number[] = [];
    const act = async (item: number): Promise<void> => {
      tried.push(item);
      await new Promise<void>((resolve) => held.push(resolve));
    };
    const all = attemptEach([1, 2, 3, 4, 5].values(), act, { signal, failed, atOnce: 2 });
    const seen: (readonly number[])[] = [];
    while (held.length > 0) {
      seen.push([...tried]);
      for (const release of held.splice(0)) release();
      await settle();
    }
    await all;
    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ]);
  });
});
