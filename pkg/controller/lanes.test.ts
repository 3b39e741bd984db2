import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

/** Work that ends when it is told to. */
function held(): {
  readonly work: () => Promise<string>;
  readonly end: (result: string) => void;
  begun: boolean;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  const piece = {
    begun: false,
    end: resolve,
    work: async () => {
      piece.begun = true;
      return promise;
    },
  };
  return piece;
}

test("as much is done at a time as there are lanes, in the order in which it came", async () => {
  const lanes = new Lanes(2);
  const pieces = Array.from({ length: 4 }, held);
  const results = pieces.map(async ({ work }) => lanes.run(work));
  const begun = (): string => pieces.map((piece) => (piece.begun ? "x" : "-")).join("");
  await Promise.resolve();
  expect(begun()).toBe("xx--");
  pieces[1]?.end("b");
  expect(await results[1]).toBe("b");
  expect(begun()).toBe("xxx-");
  pieces[0]?.end("a");
  await results[0];
  expect(begun()).toBe("xxxx");
  pieces[2]?.end("c");
  pieces[3]?.end("d");
  expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"]);
});

test("work that fails leaves its lane to the next", async () => {
  const lanes = new Lanes(1);
  const failing = lanes.run(async () => {
    throw new Error("no");
  });
  const next = lanes.run(async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
  expect(await lanes.run(async () => "free")).toBe("free");
});
