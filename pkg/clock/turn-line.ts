/** What long work may take of one turn of the event loop. */
const SHARE_MS = 5;

interface TurnLineOptions {
  readonly monotonicMs: () => number;
  /** Calls back in the next turn of the event loop: callbacks of one turn in order, with promises settled in between. */
  readonly nextTurn: (callback: () => void) => void;
}

/**
 * Shares the turns of the event loop among all long work of the process. Were everybody who waits resumed in the next
 * turn, it would last for as many shares as there are others.
 * Invariants: who waits longest is resumed first; no two turns in a row pass without anybody being resumed.
 */
export class TurnLine {
  readonly #options: TurnLineOptions;
  readonly #waiting: (() => void)[] = [];
  /** Of the first that was resumed in this turn. */
  #startMs: number | undefined;

  constructor(options: TurnLineOptions) {
    this.#options = options;
  }

  async next(): Promise<void> {
    return new Promise(this.#wait);
  }

  readonly #wait = (resolve: () => void): void => {
    this.#waiting.push(resolve);
    this.#options.nextTurn(this.#resume);
  };

  /** Called as often as there are waits, so that none is forgotten. */
  readonly #resume = (): void => {
    const { monotonicMs, nextTurn } = this.#options;
    if (this.#startMs === undefined) {
      this.#startMs = monotonicMs();
      // In the next turn, before all that is asked for from here on.
      nextTurn(this.#begin);
    } else if (monotonicMs() - this.#startMs >= SHARE_MS) {
      nextTurn(this.#resume);
      return;
    }
    this.#waiting.shift()?.();
  };

  readonly #begin = (): void => {
    this.#startMs = undefined;
  };
}
