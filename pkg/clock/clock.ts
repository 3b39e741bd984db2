/** Time as the program sees it. The real one lives in real.ts; tests and the simulator bring virtual ones. */
export interface Clock {
  /** Wall-clock time in epoch milliseconds (may carry a fraction). It can jump in either direction. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back. Durations are measured with this one. */
  monotonicMs(): number;
  /** Calls back once, after at least `delayMs` of monotonic time. Any finite delay is allowed; below 0 means 0. */
  setTimer(delayMs: number, callback: () => void): Timer;
  /**
   * Resolves in a later turn of the event loop, so that I/O and other work get their share during long work. Long work
   * should ask for a turn after every 5 ms; of all that ask, one at a time is let go on.
   */
  turn(): Promise<void>;
}

export interface Timer {
  /** Idempotent, and harmless after the timer has fired. */
  cancel(): void;
}
