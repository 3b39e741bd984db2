import fc from "fast-check";
import { expect, test } from "vitest";
import { Ring } from "./ring.ts";

test("a ring is a queue, however it grows and wraps around", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { size: "max", maxLength: 100 }), (steps) => {
      const ring = new Ring<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let count = 0; count < step; count++) {
          ring.push(next);
          model.push(next++);
        }
        for (let count = 0; count > step; count--) expect(ring.shift()).toBe(model.shift());
        expect(ring.length).toBe(model.length);
      }
      ring.clear();
      expect(ring.shift()).toBeUndefined();
    }),
  );
});
