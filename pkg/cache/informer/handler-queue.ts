import type { ObjectHandler, HandlerRegistration } from "./informer.ts";
import type { Logger } from "../../log/logger.ts";
import type { Notification, NotificationBatch } from "./notification.ts";
import { Ring } from "./ring.ts";
import { ENDED, GOING_ON, type Step, type Task, type TaskTurns } from "../../clock/task-turns.ts";
import { SyncWaiters } from "./sync-waiters.ts";

interface Pending<T> {
  readonly batch: NotificationBatch<T>;
  readonly withSync: boolean;
  /** How many of its notifications the handler has been told. */
  told: number;
}

interface HandlerQueueOptions<T> {
  readonly handler: ObjectHandler<T>;
  readonly tasks: TaskTurns;
  readonly log: Logger;
  readonly informer: Pick<HandlerRegistration, "hasSynced" | "whenSynced">;
  readonly onFailure: () => void;
  readonly onRemove: (queue: HandlerQueue<T>) => void;
  /** What was asked for, before it was fitted to the informer's period. */
  readonly requestedResyncMs: number;
}

/** What one handler has not been told yet. While there is any, it is a task: each step tells the handler one thing. */
export class HandlerQueue<T> implements HandlerRegistration, Task {
  readonly requestedResyncMs: number;
  resyncMs = 0;
  nextResyncMs = 0;
  /** The resync that was decided on last is for this handler. */
  syncing = false;
  readonly #options: HandlerQueueOptions<T>;
  readonly #pending = new Ring<Pending<T>>();
  readonly #syncWaiters = new SyncWaiters();
  /** Is being told. */
  #current: Pending<T> | undefined;
  #initialBatches = 0;
  #draining = false;
  #removed = false;

  constructor(options: HandlerQueueOptions<T>) {
    this.#options = options;
    this.requestedResyncMs = options.requestedResyncMs;
  }

  hasSynced(): boolean {
    return this.#options.informer.hasSynced() && this.#initialBatches === 0;
  }

  async whenSynced(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#options.informer.whenSynced(signal))) return false;
    if (this.#initialBatches > 0 && !this.#removed) await this.#syncWaiters.wait(signal);
    return this.hasSynced();
  }

  /** What is still pending is never delivered. */
  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.#pending.clear();
    this.#options.onRemove(this);
    this.#syncWaiters.settle();
  }

  push(batch: NotificationBatch<T>): void {
    this.#pending.push({ batch, withSync: this.syncing, told: 0 });
    if (batch.initial) this.#initialBatches++;
    this.#wake();
  }

  #wake(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#options.tasks.start(this);
  }

  /** Goes on with the next notification, whatever became of the one before. Ends with the last one. */
  next(): Step {
    for (;;) {
      this.#current ??= this.#pending.shift();
      if (this.#current === undefined) return this.#end();
      if (this.#removed) return ENDED;
      const { batch, withSync, told } = this.#current;
      const notification = batch.notifications[told];
      this.#current.told++;
      const isWanted = notification !== undefined && (withSync || !isSync(notification));
      if (isWanted) this.#deliver(notification, batch.initial);
      if (told + 1 < batch.notifications.length) {
        if (isWanted) return GOING_ON;
        continue;
      }
      this.#current = undefined;
      if (batch.initial && --this.#initialBatches === 0) this.#syncWaiters.settle();
      if (this.#pending.length === 0) return this.#end();
      if (isWanted) return GOING_ON;
    }
  }

  #end(): Step {
    this.#draining = false;
    return ENDED;
  }

  failed(): void {
    this.#options.onFailure();
    this.#draining = false;
    this.#wake();
  }

  /** An event that a handler fails on is lost to that handler, and to no other one. */
  #deliver(notification: Notification<T>, initial: boolean): void {
    const { handler } = this.#options;
    try {
      if (notification.type === "add") handler.onAdd?.(notification.object, initial);
      else if (notification.type === "update") handler.onUpdate?.(notification.before, notification.after);
      else handler.onDelete?.(notification.object, notification.missed);
    } catch (error) {
      this.#options.onFailure();
      this.#options.log.error(error, "An event handler failed", { event: notification.type });
    }
  }
}

function isSync<T>(notification: Notification<T>): boolean {
  return notification.type === "update" && notification.sync;
}
