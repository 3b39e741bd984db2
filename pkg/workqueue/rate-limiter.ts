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
 *
 * With `groupOf`, the debt is kept per group as well, so that a namespace in which thousands of keys fail does not put
 * off the retries of another: where G groups are in debt, each pays its own off at perSecond / G. Never does a key wait
 * longer than it would without groups, and with one group it waits as long. The price: what was granted before stays
 * granted, so while groups that are in debt become more, one after the other, retries can come at up to about
 * (1 + 1/2 + … + 1/G) · perSecond.
 */
export function bucketLimiter<K>(
  clock: Clock,
  perSecond: number,
  burst: number,
  groupOf?: (key: K) => string,
): RateLimiter<K> {
  let tokens = burst;
  let countedAtMs = clock.monotonicMs();
  const debts = groupOf && new GroupDebts(1000 / perSecond);
  return {
    delayMs: (key) => {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - countedAtMs) * perSecond) / 1000) - 1;
      countedAtMs = nowMs;
      if (tokens >= 0) return 0;
      const delayMs = (-tokens * 1000) / perSecond;
      return groupOf && debts ? debts.borrow(groupOf(key), nowMs, delayMs) : delayMs;
    },
    forget: () => undefined,
    failures: () => 0,
  };
}

const SETTLE_DEBTS_MS = 1_000;

/** When each group in debt has paid it off. */
class GroupDebts {
  readonly #tokenMs: number;
  readonly #paidOffMs = new Map<string, number>();
  #settledAtMs = 0;

  constructor(tokenMs: number) {
    this.#tokenMs = tokenMs;
  }

  /** The delay until the group has earned one token more, at most `mostMs`. */
  borrow(group: string, nowMs: number, mostMs: number): number {
    if (nowMs - this.#settledAtMs >= SETTLE_DEBTS_MS) this.#settle(nowMs);
    const debtMs = Math.max(0, (this.#paidOffMs.get(group) ?? 0) - nowMs);
    const groups = this.#paidOffMs.size + (this.#paidOffMs.has(group) ? 0 : 1);
    const delayMs = Math.min(mostMs, debtMs + groups * this.#tokenMs);
    this.#paidOffMs.set(group, nowMs + delayMs);
    return delayMs;
  }

  /** Groups without debt are forgotten; looking through them once in a while is enough, for counting one too many only slows. */
  #settle(nowMs: number): void {
    this.#settledAtMs = nowMs;
    for (const [group, paidOffMs] of this.#paidOffMs) if (paidOffMs <= nowMs) this.#paidOffMs.delete(group);
  }
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

/** Delays of keys that failed. What is left out is as upstream has it for most controllers. */
export interface BackOff {
  /** After the first failure of a key. It doubles with each: 5. */
  readonly firstMs?: number;
  /** 1000 s. */
  readonly longestMs?: number;
  /** The retries of all keys together are not limited, to 10 a second. */
  readonly unlimited?: true;
}

export function controllerLimiter<K>(
  { firstMs = 5, longestMs = 1_000_000, unlimited }: BackOff,
  clock: Clock,
  groupOf?: (key: K) => string,
): RateLimiter<K> {
  const perKey = exponentialLimiter<K>(firstMs, longestMs);
  return unlimited === true ? perKey : maxOfLimiter(perKey, bucketLimiter(clock, 10, 100, groupOf));
}
