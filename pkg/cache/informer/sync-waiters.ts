/** Those who wait until a cache is complete, or will never be. */
export class SyncWaiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves with the next settling, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  settle(): void {
    for (const done of this.#waiting) done();
  }
}
