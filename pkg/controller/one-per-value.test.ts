import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { OnePerValue } from "./one-per-value.ts";

interface Key {
  readonly namespace: string;
  readonly name: string;
}

test("equal values are one object, others are not", () => {
  const keys = new OnePerValue<Key>();
  const first = keys.of({ namespace: "a", name: "b" });
  expect(keys.of({ namespace: "a", name: "b" })).toBe(first);
  expect(keys.of({ namespace: "a", name: "c" })).not.toBe(first);
  expect(keys.of({ namespace: "a/b", name: "" })).not.toBe(keys.of({ namespace: "a", name: "b/" }));
});

test("what nobody holds any more is not kept", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const keys = new OnePerValue<Key>();
  const held = keys.of({ namespace: "held", name: "held" });
  for (let index = 0; index < 1_000; index++) keys.of({ namespace: "a", name: String(index) });
  await expect
    .poll(
      () => {
        collectGarbage();
        return keys.size;
      },
      { interval: 5, timeout: 10_000 },
    )
    .toBe(1);
  expect(keys.of({ namespace: "held", name: "held" })).toBe(held);
});
