import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../test/harness/property-seed.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { IndexSet } from "./index-set.ts";

/** Around the ends of words and pages. */
const EDGES = [0, 1, 31, 32, 33, 63, 64, 65_503, 65_504, 65_535, 65_536, 65_537, 131_071, 131_072, 140_000];

describe("a set of numbers", () => {
  test("is what a plain set is, whatever is added and removed", () => {
    const sizes = fc.constantFrom(1, 2, 31, 32, 100, 65_536, 65_537, 140_001);
    const edge = fc.oneof(fc.constantFrom(...EDGES), fc.nat(140_000));
    const step = fc.record({ kind: fc.constantFrom("add", "remove", "find"), from: edge, to: edge });
    fc.assert(
      fc.property(sizes, fc.array(step, { maxLength: 12 }), (size, steps) => {
        const set = new IndexSet(size);
        const plain = new Uint8Array(size);
        for (const { kind, from, to } of steps) {
          const [begin = 0, end = 0] = [from % size, to % size].toSorted((a, b) => a - b);
          if (kind === "find") {
            expect(set.nextFree(begin)).toBe(nextFree(plain, begin));
            continue;
          }
          const [before, after] = kind === "add" ? [0, 1] : [1, 0];
          let changed = 0;
          for (let index = begin; index <= end; index++) if (plain[index] === before) changed++;
          plain.fill(after, begin, end + 1);
          expect(kind === "add" ? set.add({ begin, end }) : set.remove({ begin, end })).toBe(changed);
        }
        expect(set.count).toBe(plain.reduce((sum, bit) => sum + bit, 0));
        for (const index of EDGES.filter((each) => each < size))
          expect(set.has(index)).toBe(plain[index] === 1);
      }),
      { numRuns: 300 },
    );
  });

  test("of 2^32 numbers is filled, searched and emptied in a moment", () => {
    const size = 2 ** 32;
    const set = new IndexSet(size);
    const startMs = realClock.monotonicMs();
    expect(set.add({ begin: 0, end: size - 2 })).toBe(size - 1);
    expect(set.nextFree(0)).toBe(size - 1);
    expect(set.add({ begin: size - 1, end: size - 1 })).toBe(1);
    expect(set.nextFree(0)).toBeUndefined();
    expect(set.remove({ begin: 5, end: size - 1 })).toBe(size - 5);
    expect(set.nextFree(size - 1)).toBe(size - 1);
    expect(set.count).toBe(5);
    // Number by number it would be minutes.
    expect(realClock.monotonicMs() - startMs).toBeLessThan(2_000);
  });
});

function nextFree(plain: Uint8Array, from: number): number | undefined {
  for (let step = 0; step < plain.length; step++) {
    const index = (from + step) % plain.length;
    if (plain[index] === 0) return index;
  }
  return undefined;
}
