import type { Clock, Timer } from "../clock/clock.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { DelayHeap } from "./delay-heap.ts";
import { type Entry, FairLine, type Line, fifoLine, namespaceOfKey } from "./line.ts";
import { PriorityLine } from "./priority-line.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import type { Priority, WorkQueue } from "./queue.ts";
import { type BackOff, controllerLimiter, type RateLimiter } from "./rate-limiter.ts";

export interface WorkQueueOptions<K> {
  readonly clock: Clock;
  /** Metrics are kept for named queues. */
  readonly name?: string;
  readonly metrics?: Metrics;
  /** In place of one that follows from `backOff`. */
  readonly rateLimiter?: RateLimiter<K>;
  readonly backOff?: BackOff;
  /** Whether groups of keys take turns, also at retries (default), or keys are served first come first served. */
  readonly fair?: boolean;
  /** The group that a key takes turns with; by default its namespace. */
  readonly groupOf?: (key: K) => string;
  /** Whether background keys wait for live ones (default), or all keys are live. */
  readonly priorities?: boolean;
}

/** The order in which keys are handed out is FairLine's and PriorityLine's; their comments state the bounds. */
export function createWorkQueue<K>(options: WorkQueueOptions<K>): WorkQueue<K> {
  return new DelayingQueue(options);
}

/**
 * Invariants:
 *  - every key that waits or is worked on has exactly one entry; an entry in line is not being worked on;
 *  - while a caller of get waits, the line is empty: a key that could be taken is handed over at once;
 *  - a timer is armed whenever keys are delayed, and it fires no later than the first of them is due.
 */
class DelayingQueue<K> implements WorkQueue<K> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<K>;
  readonly #priorities: boolean;
  readonly #metrics: QueueMetrics<K> | undefined;
  readonly #line: Line<K>;
  readonly #entries = new Map<K, Entry<K>>();
  readonly #takers: ((key: K | undefined) => void)[] = [];
  readonly #delayed = new DelayHeap<K, Priority>();
  #timer: Timer | undefined;
  #timerDueMs = Infinity;
  #processingCount = 0;
  #shuttingDown = false;
  #drained: (() => void)[] = [];

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    const groupOf = (options.fair ?? true) ? (options.groupOf ?? namespaceOfKey) : undefined;
    this.#limiter = options.rateLimiter ?? controllerLimiter(options.backOff ?? {}, options.clock, groupOf);
    this.#priorities = options.priorities ?? true;
    const line = (): Line<K> => (groupOf === undefined ? fifoLine() : new FairLine(groupOf));
    this.#line = this.#priorities ? new PriorityLine(line(), line()) : line();
    if (options.name !== undefined && options.metrics !== undefined) {
      this.#metrics = new QueueMetrics(options.metrics, options.name, options.clock, {
        length: () => this.#line.length,
        shuttingDown: () => this.#shuttingDown,
        processing: () => this.#processing(),
      });
    }
  }

  get length(): number {
    return this.#line.length;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: K, priority: Priority = "live"): void {
    if (this.#shuttingDown) return;
    const wanted = this.#priorities ? priority : "live";
    const known = this.#entries.get(key);
    if (known === undefined) this.#enter(key, wanted);
    else if (known.processing) this.#markAgain(known, wanted);
    else if (wanted === "live" && known.priority === "background") this.#promote(known);
  }

  addAfter(key: K, delayMs: number, priority: Priority = "live"): void {
    if (this.#shuttingDown) return;
    this.#metrics?.retried();
    if (delayMs <= 0) {
      this.add(key, priority);
      return;
    }
    const known = this.#delayed.get(key);
    this.#delayed.insert(key, known === "live" ? known : priority, this.#clock.monotonicMs() + delayMs);
    this.#armTimer();
  }

  /** Without a priority, a key that failed keeps the one it was taken with: it is no more urgent than it was. */
  addRateLimited(key: K, priority?: Priority, atLeastMs = 0): void {
    const wanted = priority ?? this.#entries.get(key)?.priority ?? "live";
    this.addAfter(key, Math.max(this.#limiter.delayMs(key), atLeastMs), wanted);
  }

  forget(key: K): void {
    this.#limiter.forget(key);
  }

  requeues(key: K): number {
    return this.#limiter.failures(key);
  }

  tryGet(): K | undefined {
    const entry = this.#line.shift();
    if (entry === undefined) return undefined;
    entry.processing = true;
    this.#processingCount++;
    this.#metrics?.taken(entry);
    return entry.key;
  }

  async get(): Promise<K | undefined> {
    const key = this.tryGet();
    if (key !== undefined || this.#shuttingDown) return key;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || !entry.processing) return;
    this.#metrics?.done(entry);
    entry.processing = false;
    this.#processingCount--;
    if (entry.again === undefined) {
      this.#entries.delete(key);
    } else {
      entry.priority = entry.again;
      entry.again = undefined;
      this.#enqueue(entry);
    }
    if (this.#processingCount === 0) this.#settleDrain();
  }

  shutDown(): void {
    this.#stop();
    this.#settleDrain();
  }

  async shutDownWithDrain(): Promise<void> {
    this.#stop();
    if (this.#processingCount === 0) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #enter(key: K, priority: Priority): void {
    const entry: Entry<K> = {
      key,
      priority,
      processing: false,
      again: undefined,
      group: undefined,
      addedMs: 0,
      startedMs: 0,
      previous: undefined,
      next: undefined,
    };
    this.#entries.set(key, entry);
    this.#metrics?.added(entry);
    this.#enqueue(entry);
  }

  #markAgain(entry: Entry<K>, priority: Priority): void {
    if (entry.again === undefined) this.#metrics?.added(entry);
    if (entry.again !== "live") entry.again = priority;
  }

  #promote(entry: Entry<K>): void {
    this.#line.remove(entry);
    entry.priority = "live";
    this.#line.push(entry);
  }

  #enqueue(entry: Entry<K>): void {
    this.#line.push(entry);
    if (this.#takers.length > 0) this.#takers.shift()?.(this.tryGet());
  }

  *#processing(): Iterable<Entry<K>> {
    for (const entry of this.#entries.values()) if (entry.processing) yield entry;
  }

  #stop(): void {
    this.#shuttingDown = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#delayed.clear();
    for (const take of this.#takers.splice(0)) take(undefined);
  }

  #settleDrain(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** Rings no later than the first delayed key is due; a timer that is early enough is left alone. */
  #armTimer(): void {
    const dueMs = this.#delayed.firstDueMs;
    if (dueMs === Infinity || (this.#timer !== undefined && this.#timerDueMs <= dueMs)) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = this.#clock.setTimer(dueMs - this.#clock.monotonicMs(), () => {
      this.#timer = undefined;
      this.#addDue();
      this.#armTimer();
    });
  }

  #addDue(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let due = this.#delayed.shiftDue(nowMs); due !== undefined; due = this.#delayed.shiftDue(nowMs)) {
      this.add(due.key, due.value);
    }
  }
}
