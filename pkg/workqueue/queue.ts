/** Where a key comes from. Live changes go before keys of the initial list and of resyncs, which age and so never starve. */
export type Priority = "live" | "background";

/**
 * A set of keys waiting for work, with client-go's guarantees: a key that is added many times before it is taken is
 * worked on once; a key that is added while it is being worked on is worked on again afterwards; no key is ever
 * handed to two workers.
 */
export interface WorkQueue<K> {
  /** Priorities default to live. A key that waits in the background and is added live goes to the live ones. */
  add(key: K, priority?: Priority): void;
  /** Adds after the delay. A key that already waits keeps the earlier of both times. */
  addAfter(key: K, delayMs: number, priority?: Priority): void;
  /**
   * Adds after the delay that the rate limiter gives for one more failure of this key. While the key is worked on its
   * priority defaults to the one it was taken with. It does not come before `atLeastMs`.
   */
  addRateLimited(key: K, priority?: Priority, atLeastMs?: number): void;
  /** The key's failures are forgotten: it succeeded, or is given up. */
  forget(key: K): void;
  /** Failures since the last forget. */
  requeues(key: K): number;
  /** The next key as soon as there is one, or undefined once the queue is shut down and no key is ready. */
  get(): Promise<K | undefined>;
  /** The next key if one is ready now: as get, without a Promise for every key. */
  tryGet(): K | undefined;
  /** Must follow every key that get or tryGet gave. */
  done(key: K): void;
  /** Keys that are ready and wait for a worker. */
  readonly length: number;
  /** Takes nothing more; what is queued is still handed out; delayed keys are dropped. */
  shutDown(): void;
  /** As shutDown, and resolves when every key that was handed out is done. */
  shutDownWithDrain(): Promise<void>;
  readonly shuttingDown: boolean;
}
