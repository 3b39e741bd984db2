import type { ObjectHandler, HandlerRegistration } from "./informer.ts";
import type { Logger } from "../../log/logger.ts";
import type { Notification, NotificationBatch } from "./notification.ts";
import { Ring } from "./ring.ts";
import type { Steps } from "../../api/steps.ts";
import type { TaskTurns } from "../../clock/task-turns.ts";
import { SyncWaiters } from "./sync-waiters.ts";

interface Pending<T> extends NotificationBatch<T> {
  readonly withSync: boolean;
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

/** What one handler has not been told yet. */
export class HandlerQueue<T> implements HandlerRegistration {
  readonly requestedResyncMs: number;
  resyncMs = 0;
  nextResyncMs = 0;
  /** The resync that was decided on last is for this handler. */
  syncing = false;
  readonly #options: HandlerQueueOptions<T>;
  readonly #pending = new Ring<Pending<T>>();
  readonly #syncWaiters = new SyncWaiters();
  /** The batch that is being told, and how far. */
  #current: { readonly batch: Pending<T>; told: number } | undefined;
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
    this.#pending.push({ ...batch, withSync: this.syncing });
    if (batch.initial) this.#initialBatches++;
    this.#wake();
  }

  #wake(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#options.tasks.start(this.#drain(), () => {
      this.#options.onFailure();
      this.#draining = false;
      this.#wake();
    });
  }

  /** Goes on where the last one broke off, with the next notification. */
  *#drain(): Steps<void> {
    for (let current = this.#next(); current !== undefined; current = this.#next()) {
      const { notifications, withSync, initial } = current.batch;
      while (current.told < notifications.length) {
        if (this.#removed) return;
        const notification = notifications[current.told++];
        if (notification === undefined || (isSync(notification) && !withSync)) continue;
        this.#deliver(notification, initial);
        yield;
      }
      this.#current = undefined;
      if (initial && --this.#initialBatches === 0) this.#syncWaiters.settle();
    }
    this.#draining = false;
  }

  #next(): { readonly batch: Pending<T>; told: number } | undefined {
    if (this.#current !== undefined) return this.#current;
    const batch = this.#pending.shift();
    this.#current = batch && { batch, told: 0 };
    return this.#current;
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
