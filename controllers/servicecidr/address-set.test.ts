import { expect, test } from "vitest";
import { randomBelow, seededRandom } from "../../pkg/clock/random.ts";
import { AddressSet } from "./address-set.ts";

test.each([1, 2])("the first in a span is what a search through all finds (seed %i)", (seed) => {
  const random = seededRandom(seed);
  const [set, all] = [new AddressSet(), new Set<number>()];
  const check = (): void => {
    const first = randomBelow(random, 20_000);
    const last = first + randomBelow(random, 10);
    const inside = [...all].filter((value) => first <= value && value <= last);
    const expected = inside.length === 0 ? undefined : BigInt(Math.min(...inside));
    expect(set.firstIn({ first: BigInt(first), last: BigInt(last) })).toBe(expected);
  };
  const change = (isComing: boolean): void => {
    const value = randomBelow(random, 20_000);
    if (isComing) {
      set.add(BigInt(value));
      all.add(value);
    } else {
      set.delete(BigInt(value));
      all.delete(value);
    }
  };
  for (let step = 0; step < 15_000; step++) {
    change(true);
    if (step % 100 === 0) check();
  }
  for (let step = 0; step < 30_000; step++) {
    change(step % 8 === 0);
    if (step % 100 === 0) check();
  }
  for (const value of all) set.delete(BigInt(value));
  expect(set.firstIn({ first: 0n, last: 20_000n })).toBeUndefined();
});

test("what lies behind a gap is found", () => {
  const set = new AddressSet();
  for (let value = 0n; value < 5_000n; value++) set.add(value);
  for (let value = 1_000n; value < 4_000n; value++) set.delete(value);
  expect(set.firstIn({ first: 1_000n, last: 5_000n })).toBe(4_000n);
});
