import { type Random, randomBelow, seededRandom } from "../../../pkg/clock/random.ts";

/** Decisions of one case: the same seed and number, the same decisions. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number, number: number) {
    this.#random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  }

  below(bound: number): number {
    return randomBelow(this.#random, bound);
  }

  /** True `percent` times in a hundred. */
  percent(percent: number): boolean {
    return this.#random.next() * 100 < percent;
  }

  one<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined && list.length === 0) throw new Error("nothing to choose from");
    return chosen as T;
  }

  /** As `one`, by weights. */
  weighted<T>(list: readonly (readonly [number, T])[]): T {
    let at = this.below(list.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of list) {
      if (at < weight) return value;
      at -= weight;
    }
    throw new Error("nothing to choose from");
  }
}
