import type { EventHandler, HandlerRegistration } from "./informer.ts";
import type { Logger } from "../log/logger.ts";
import type { Notification, NotificationBatch } from "./notification.ts";
import { Ring } from "./ring.ts";
import type { Rotation, Task } from "./rotation.ts";
import { SyncWaiters } from "./sync-waiters.ts";

interface Pending<T> extends NotificationBatch<T> {
  readonly withSync: boolean;
}

interface HandlerQueueOptions<T> {
  readonly handler: EventHandler<T>;
  readonly rotation: Rotation;
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
    if (this.#draining) return;
    this.#draining = true;
    this.#options.rotation.start(this.#drain());
  }

  *#drain(): Task {
    for (let batch = this.#pending.shift(); batch !== undefined; batch = this.#pending.shift()) {
      for (const notification of batch.notifications) {
        if (this.#removed) return;
        if (notification.type === "update" && notification.sync && !batch.withSync) continue;
        this.#deliver(notification, batch.initial);
        yield;
      }
      if (batch.initial && --this.#initialBatches === 0) this.#syncWaiters.settle();
    }
    this.#draining = false;
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
