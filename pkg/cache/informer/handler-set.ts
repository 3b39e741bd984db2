import type { Clock } from "../../clock/clock.ts";
import type { Logger } from "../../log/logger.ts";
import { HandlerQueue } from "./handler-queue.ts";
import type { ObjectHandler, HandlerOptions, HandlerRegistration } from "./informer.ts";
import type { NotificationBatch } from "./notification.ts";
import type { TaskTurns } from "../../clock/task-turns.ts";

const SHORTEST_RESYNC_MS = 1_000;

interface HandlerSetOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly tasks: TaskTurns;
  readonly informer: Pick<HandlerRegistration, "hasSynced" | "whenSynced">;
  /** The resync period of handlers that ask for none in particular; 0 for never. */
  readonly defaultResyncMs: number;
}

/**
 * The handlers of one informer and the times of their resyncs.
 * Invariant: no handler's period is shorter than the check period, at which the informer looks whose time has come.
 * upstream: tools/cache/shared_informer.go#sharedProcessor
 */
export class HandlerSet<T> {
  readonly #options: HandlerSetOptions;
  readonly #queues = new Set<HandlerQueue<T>>();
  #checkMs: number;
  #started = false;
  #failures = 0;

  constructor(options: HandlerSetOptions) {
    this.#options = options;
    this.#checkMs = options.defaultResyncMs;
  }

  /** Events on which a handler threw. */
  get failures(): number {
    return this.#failures;
  }

  /** The shortest time between two resyncs; 0 when no handler wants any. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /** From now on the check period is fixed. */
  start(): void {
    this.#started = true;
  }

  /** `current` is what the handler has missed so far. */
  add(
    handler: ObjectHandler<T>,
    options: HandlerOptions,
    current: NotificationBatch<T> | undefined,
  ): HandlerRegistration {
    const requestedResyncMs = this.#requested(options.resyncMs ?? this.#options.defaultResyncMs);
    const queue = new HandlerQueue<T>({
      handler,
      requestedResyncMs,
      tasks: this.#options.tasks,
      log: this.#options.log,
      informer: this.#options.informer,
      onFailure: () => this.#failures++,
      onRemove: (removed) => this.#queues.delete(removed),
    });
    this.#queues.add(queue);
    for (const each of this.#queues) each.resyncMs = this.#fitted(each.requestedResyncMs);
    queue.nextResyncMs = this.#options.clock.monotonicMs() + queue.resyncMs;
    if (current !== undefined && current.notifications.length > 0) queue.push(current);
    return queue;
  }

  distribute(batch: NotificationBatch<T>): void {
    if (batch.notifications.length === 0) return;
    for (const queue of this.#queues) queue.push(batch);
  }

  /** Removes all handlers; what they have not been told yet they never are. */
  clear(): void {
    for (const queue of this.#queues) queue.remove();
  }

  /** Notes for which handlers it is time to resync, and says whether there are any. */
  resyncDue(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    let due = false;
    for (const queue of this.#queues) {
      queue.syncing = queue.resyncMs > 0 && nowMs >= queue.nextResyncMs;
      if (!queue.syncing) continue;
      due = true;
      queue.nextResyncMs = nowMs + queue.resyncMs;
    }
    return due;
  }

  #requested(resyncMs: number): number {
    if (resyncMs <= 0) return 0;
    const requestedMs = Math.max(resyncMs, SHORTEST_RESYNC_MS);
    if (this.#started && this.#checkMs === 0)
      this.#options.log.warn("A handler gets no resyncs because the informer was started without any");
    // Unlike upstream, a handler may ask for resyncs of an informer that makes none of its own accord.
    if (!this.#started && (this.#checkMs === 0 || requestedMs < this.#checkMs)) this.#checkMs = requestedMs;
    return requestedMs;
  }

  #fitted(requestedMs: number): number {
    return requestedMs === 0 || this.#checkMs === 0 ? 0 : Math.max(requestedMs, this.#checkMs);
  }
}
