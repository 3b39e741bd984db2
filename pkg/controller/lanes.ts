/** As much work at a time as there are lanes; what comes when all are taken waits, first come, first served. */
export class Lanes {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(lanes: number) {
    this.#free = lanes;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** The lane is handed to whoever waits longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
