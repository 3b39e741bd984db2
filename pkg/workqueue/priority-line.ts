import type { Entry, Line } from "./line.ts";

/** While live keys wait too, one shift in this many goes to the background. */
export const BACKGROUND_TURN = 8;

/**
 * Two lines, live before background, with ageing: every shift that passes the background by makes it older by one, and
 * at BACKGROUND_TURN − 1 it is its turn.
 *
 * Bounds, for a key that needs n shifts of its own line (FIFO: its position; fair: see FairLine):
 *  - background: at most BACKGROUND_TURN · n shifts, however many live keys keep coming, so it is never starved;
 *  - live: at most n + ⌈n / (BACKGROUND_TURN − 1)⌉ shifts, however many background keys wait: between two background
 *    shifts that pass a live key by there are BACKGROUND_TURN − 1 live ones.
 * Age is counted in shifts and not in time, so that a slow queue ages no faster than it works: thousands of keys of an
 * initial list that are all "old" cannot crowd out what is live.
 */
export class PriorityLine<K> implements Line<K> {
  readonly #live: Line<K>;
  readonly #background: Line<K>;
  #passedBy = 0;

  constructor(live: Line<K>, background: Line<K>) {
    this.#live = live;
    this.#background = background;
  }

  get length(): number {
    return this.#live.length + this.#background.length;
  }

  push(entry: Entry<K>): void {
    this.#lineOf(entry).push(entry);
  }

  shift(): Entry<K> | undefined {
    if (this.#background.length === 0) return this.#live.shift();
    if (this.#live.length > 0 && this.#passedBy < BACKGROUND_TURN - 1) {
      this.#passedBy++;
      return this.#live.shift();
    }
    this.#passedBy = 0;
    return this.#background.shift();
  }

  remove(entry: Entry<K>): void {
    this.#lineOf(entry).remove(entry);
  }

  #lineOf(entry: Entry<K>): Line<K> {
    return entry.priority === "live" ? this.#live : this.#background;
  }
}
