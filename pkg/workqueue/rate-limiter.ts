import type { Clock } from "../clock/clock.ts";

/** Says how long a key that failed waits before its next try. */
export interface RateLimiter<K> {
  /** Counts one more failure of the key and gives the delay for it. */
  delayMs(key: K): number;
  /** Forgets the key's failures. */
  forget(key: K): void;
  /** Failures since the last forget. */
  failures(key: K): number;
}

/** Failures per key. Keys without failures are not in it. */
class FailureCounts<K> {
  readonly #counts = new Map<K, number>();

  get(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  increment(key: K): number {
    const count = this.get(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  forget(key: K): void {
    this.#counts.delete(key);
  }
}

/** `baseMs` · 2ⁿ for the n-th repetition, at most `maxMs`. */
export function exponentialLimiter<K>(baseMs: number, maxMs: number): RateLimiter<K> {
  const counts = new FailureCounts<K>();
  return {
    delayMs: (key) => Math.min(baseMs * 2 ** (counts.increment(key) - 1), maxMs),
    forget: (key) => counts.forget(key),
    failures: (key) => counts.get(key),
  };
}

/** `fastMs` for the first `fastAttempts` failures of a key, `slowMs` from then on. */
export function fastSlowLimiter<K>(fastMs: number, slowMs: number, fastAttempts: number): RateLimiter<K> {
  const counts = new FailureCounts<K>();
  return {
    delayMs: (key) => (counts.increment(key) <= fastAttempts ? fastMs : slowMs),
    forget: (key) => counts.forget(key),
    failures: (key) => counts.get(key),
  };
}

/**
 * One token bucket for all keys: `burst` tokens that refill at `perSecond`. Every failure takes a token, on credit when
 * there is none, and waits until the bucket has earned it.
 */
export function bucketLimiter<K>(clock: Clock, perSecond: number, burst: number): RateLimiter<K> {
  let tokens = burst;
  let countedAtMs = clock.monotonicMs();
  return {
    delayMs: () => {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - countedAtMs) * perSecond) / 1000) - 1;
      countedAtMs = nowMs;
      return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond;
    },
    forget: () => undefined,
    failures: () => 0,
  };
}

/** The longest delay that any of the limiters asks for; all of them count the failure. */
export function maxOfLimiter<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    delayMs: (key) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.delayMs(key)), 0),
    forget: (key) => {
      for (const limiter of limiters) limiter.forget(key);
    },
    failures: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.failures(key)), 0),
  };
}

/** What controllers use unless they say otherwise: 5 ms doubling to 1000 s per key, and 10 retries a second overall. */
export function defaultControllerLimiter<K>(clock: Clock): RateLimiter<K> {
  return maxOfLimiter(exponentialLimiter(5, 1_000_000), bucketLimiter(clock, 10, 100));
}
