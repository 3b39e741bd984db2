/**
 * A bucket with room for one token, which grants evictions: `perSecond` in the long run, and one at once after a rest.
 * Times are of the monotonic clock.
 */
export class EvictionRate {
  #perSecond: number;
  #tokens = 1;
  #countedMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#countedMs = nowMs;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** False when there is no token: `untilNextMs` says when to ask again. */
  tryTake(nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#perSecond <= 0 || this.#tokens < 1 - 1e-6) return false;
    this.#tokens = 0;
    return true;
  }

  /** The token that was taken was not needed. */
  giveBack(): void {
    this.#tokens = 1;
  }

  /** Undefined when none will ever be granted. */
  untilNextMs(nowMs: number): number | undefined {
    if (this.#perSecond <= 0) return undefined;
    this.#refill(nowMs);
    return Math.max(0, ((1 - this.#tokens) * 1_000) / this.#perSecond);
  }

  /**
   * From now on it is this rate. Whoever has to wait for a token, or gets none at all, begins to wait anew.
   * upstream: nodelifecycle/scheduler/rate_limited_queue.go#SwapLimiter
   */
  change(perSecond: number, nowMs: number): boolean {
    if (perSecond === this.#perSecond) return false;
    this.#tokens = this.tryTake(nowMs) ? 1 : 0;
    this.#perSecond = perSecond;
    this.#countedMs = nowMs;
    return true;
  }

  #refill(nowMs: number): void {
    const earned = ((nowMs - this.#countedMs) * Math.max(0, this.#perSecond)) / 1_000;
    this.#tokens = Math.min(1, this.#tokens + earned);
    this.#countedMs = nowMs;
  }
}

/** A node is who has the uid; another one may have its name by the time it is its turn. */
export interface WaitingNode {
  readonly name: string;
  readonly uid: string;
}

/** The nodes of a zone that wait to be emptied, each once, in the order in which they came. */
export class EvictionLine {
  readonly rate: EvictionRate;
  readonly #waiting = new Map<string, WaitingNode>();

  constructor(rate: EvictionRate) {
    this.rate = rate;
  }

  /** False when it waits already. */
  add({ name, uid }: WaitingNode): boolean {
    if (this.#waiting.has(uid)) return false;
    this.#waiting.set(uid, { name, uid });
    return true;
  }

  /** False when it did not wait. */
  remove(uid: string): boolean {
    return this.#waiting.delete(uid);
  }

  /** All others get their turn before it. */
  moveToEnd(node: WaitingNode): void {
    if (this.remove(node.uid)) this.add(node);
  }

  clear(): void {
    this.#waiting.clear();
  }

  get size(): number {
    return this.#waiting.size;
  }

  get first(): WaitingNode | undefined {
    const [first] = this.#waiting.values();
    return first;
  }
}
