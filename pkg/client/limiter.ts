import type { Clock, Timer } from "../clock/clock.ts";

export interface RateLimiter {
  /**
   * Resolves when the request may go out; rejects with the signal's reason. `flow` is what the limiter is fair over:
   * the namespace of the request, "" for none.
   */
  wait(flow: string, signal?: AbortSignal): Promise<void>;
}

export const unlimited: RateLimiter = { wait: async () => undefined };

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Requests per second in the long run; 0 or less means no limit. */
  readonly qps: number;
  /** Requests at once after a rest. */
  readonly burst: number;
  /** Take turns between flows (default); otherwise strictly first come, first served. */
  readonly fair?: boolean;
}

export function tokenBucket(options: TokenBucketOptions): RateLimiter {
  return options.qps > 0 ? new TokenBucket(options) : unlimited;
}

interface Waiter {
  readonly admit: () => void;
}

/**
 * Invariants: a request that comes while others wait joins them, however many tokens there are; within a flow, order
 * of arrival is kept; between flows, each waiting flow gets one request per round. There is a timer exactly while
 * somebody waits.
 */
class TokenBucket implements RateLimiter {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  readonly #fair: boolean;
  /** The Map's order is the order of turns: the flow served goes to the end. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #tokens: number;
  #refilledMs: number;
  #timer: Timer | undefined;

  constructor(options: TokenBucketOptions) {
    this.#clock = options.clock;
    this.#qps = options.qps;
    this.#burst = Math.max(1, options.burst);
    this.#fair = options.fair ?? true;
    this.#tokens = this.#burst;
    this.#refilledMs = options.clock.monotonicMs();
  }

  async wait(flow: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waiting.size === 0) {
      this.#refill();
      if (this.#takeToken()) return;
    }
    await this.#queue(this.#fair ? flow : "", signal);
  }

  async #queue(flow: string, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#leave(flow, waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const queue = this.#waiting.get(flow);
      if (queue === undefined) this.#waiting.set(flow, new Set([waiter]));
      else queue.add(waiter);
      this.#schedule();
    });
  }

  #leave(flow: string, waiter: Waiter): void {
    const queue = this.#waiting.get(flow);
    queue?.delete(waiter);
    if (queue?.size === 0) this.#waiting.delete(flow);
    if (this.#waiting.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#refill();
    const missing = Math.max(0, 1 - this.#tokens);
    this.#timer = this.#clock.setTimer((missing * 1_000) / this.#qps, () => {
      this.#timer = undefined;
      this.#refill();
      this.#admitNext();
      this.#schedule();
    });
  }

  #admitNext(): void {
    for (const [flow, queue] of this.#waiting) {
      const [waiter] = queue;
      if (waiter === undefined || !this.#takeToken()) return;
      queue.delete(waiter);
      this.#waiting.delete(flow);
      // At the end of the Map the flow is met again in this very loop, after all others.
      if (queue.size > 0) this.#waiting.set(flow, queue);
      waiter.admit();
    }
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#refilledMs) * this.#qps) / 1_000);
    this.#refilledMs = nowMs;
  }

  /** The slack absorbs rounding: a timer for exactly one token must find one. */
  #takeToken(): boolean {
    if (this.#tokens < 1 - 1e-6) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }
}
