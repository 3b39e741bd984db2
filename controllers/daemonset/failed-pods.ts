const FIRST_MS = 1_000;
const LONGEST_MS = 15 * 60_000;
/** After this long without a failure a node starts with the first delay again. */
const FORGET_MS = 2 * LONGEST_MS;
const SWEEP_MS = 60_000;

interface Failures {
  readonly waitMs: number;
  readonly sinceMs: number;
}

/**
 * How long failed pods stay before they are replaced, per key: a kubelet that refuses a pod refuses the next one too,
 * and without a pause the two would go on as fast as they can. 1 s after the first, then 2 s, 4 s … 15 min. Times are
 * monotonic.
 */
export class FailedPodBackoff {
  readonly #failures = new Map<string, Failures>();
  #sweptMs = 0;

  /** How long the failed pod has to stay yet; 0 when it may be replaced now. */
  remainingMs(key: string, nowMs: number): number {
    const failures = this.#failures.get(key);
    if (failures === undefined) return 0;
    return Math.max(0, failures.sinceMs + failures.waitMs - nowMs);
  }

  /** Notes that a failed pod is being replaced. */
  failed(key: string, nowMs: number): void {
    this.#sweep(nowMs);
    const before = this.#failures.get(key);
    const isFirst = before === undefined || nowMs - before.sinceMs > FORGET_MS;
    const waitMs = isFirst ? FIRST_MS : Math.min(2 * before.waitMs, LONGEST_MS);
    this.#failures.set(key, { waitMs, sinceMs: nowMs });
  }

  get size(): number {
    return this.#failures.size;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    for (const [key, { sinceMs }] of this.#failures) {
      if (nowMs - sinceMs > FORGET_MS) this.#failures.delete(key);
    }
  }
}
