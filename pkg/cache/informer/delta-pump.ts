import type { PartialObject } from "../../api/object.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Delta, DeltaBatch, ObjectDelta } from "../feed/delta.ts";
import type { DeltaQueue } from "./delta-queue.ts";
import type { Notification, NotificationBatch } from "./notification.ts";
import type { Steps } from "../../api/steps.ts";
import { ENDED, GOING_ON, type Step, type Task, type TaskTurns } from "../../clock/task-turns.ts";
import type { Draft, Store } from "../store/store.ts";

/** Above this many queued changes the reflector waits: memory stays bounded when events come faster than they go. */
const MOST_QUEUED = 2_000;

interface DeltaPumpOptions<T extends PartialObject> {
  readonly queue: DeltaQueue<T>;
  readonly store: Store<T>;
  readonly tasks: TaskTurns;
  readonly clock: Clock;
  /** Called when the store holds what the notifications tell. */
  readonly distribute: (batch: NotificationBatch<T>) => void;
  /** Called after every batch with the time that it took. */
  readonly onBatch: (tookMs: number) => void;
  /** A batch could not be processed: the store may lack what it held, until everything is had anew. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Moves changes from the queue to the store and tells the handlers. While there is any, it is a task.
 * Invariants: a batch is in the store, whole, before any handler hears of any part of it; nobody but the pump changes
 * the store.
 */
export class DeltaPump<T extends PartialObject> implements Task {
  readonly #options: DeltaPumpOptions<T>;
  readonly #waiting: (() => void)[] = [];
  /** By key: what handlers were told last, where the store is ahead of that because something failed in between. */
  readonly #untold = new Map<string, T | undefined>();
  /** What is left to do of a batch that takes many steps. */
  #replacing: Steps<void> | undefined;
  #startMs = 0;
  #pumping = false;
  #stopped = false;

  constructor(options: DeltaPumpOptions<T>) {
    this.#options = options;
  }

  take(delta: Delta<T>): void {
    this.#options.queue.push(delta);
    this.#wake();
  }

  draft(): Draft<T> {
    return this.#options.store.draft();
  }

  /** Undefined when more may be queued at once. */
  room(): Promise<void> | undefined {
    if (this.#stopped || this.#options.queue.length < MOST_QUEUED) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What is still queued stays there. */
  stop(): void {
    this.#stopped = true;
    this.#letIn();
  }

  #wake(): void {
    if (this.#pumping || this.#stopped) return;
    this.#pumping = true;
    this.#options.tasks.start(this);
  }

  /** What is queued behind it goes on: each change stands for itself. */
  failed(error: unknown): void {
    const { queue } = this.#options;
    queue.failed();
    this.#replacing = undefined;
    this.#pumping = false;
    this.#letIn();
    this.#options.onFailure(error);
    if (queue.length > 0) this.#wake();
  }

  /** Does what can be done at once, which is a batch, or a part of a replacement. */
  next(): Step {
    const { queue, clock } = this.#options;
    if (this.#replacing === undefined) {
      const batch = this.#stopped ? undefined : queue.pop();
      if (batch === undefined) return this.#end();
      this.#startMs = clock.monotonicMs();
      this.#process(batch);
    }
    if (this.#replacing?.next().done === false) return GOING_ON;
    this.#replacing = undefined;
    queue.done();
    this.#options.onBatch(clock.monotonicMs() - this.#startMs);
    if (queue.length < MOST_QUEUED) this.#letIn();
    return queue.length > 0 ? GOING_ON : this.#end();
  }

  #end(): Step {
    this.#pumping = false;
    return ENDED;
  }

  #letIn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #process({ deltas, initial }: DeltaBatch<T>): void {
    const [first] = deltas;
    if (first?.type === "replace")
      this.#replacing = this.#replaceAll(first.objects, first.resourceVersion, initial);
    else if (first?.type === "resync") this.#syncAll();
    else if (first?.type === "bookmark") this.#options.store.advance(first.resourceVersion);
    else this.#applyAll(deltas, initial);
  }

  #applyAll(deltas: readonly Delta<T>[], initial: boolean): void {
    const { store } = this.#options;
    const notifications: Notification<T>[] = [];
    let resourceVersion: string | undefined;
    try {
      for (const delta of deltas) {
        if (!("key" in delta)) continue;
        const notification = this.#apply(delta);
        if (notification !== undefined) notifications.push(notification);
        resourceVersion = delta.object.metadata.resourceVersion;
      }
      if (resourceVersion !== undefined) store.advance(resourceVersion);
    } finally {
      // Of what is in the store handlers hear, whatever became of the rest.
      this.#options.distribute({ notifications, initial });
    }
  }

  #apply(delta: ObjectDelta<T>): Notification<T> | undefined {
    const { store } = this.#options;
    const { key, object } = delta;
    if (delta.type === "delete") {
      // Handlers never heard of an object that the store does not know.
      if (store.delete(key) === undefined) return undefined;
      return { type: "delete", object, missed: false };
    }
    const before = store.set(key, object);
    try {
      return this.#change(key, before, object);
    } catch (error) {
      if (!this.#untold.has(key)) this.#untold.set(key, before);
      throw error;
    }
  }

  /** What no handler has heard of is told as if the store had not known it either. */
  #change(key: string, before: T | undefined, after: T): Notification<T> {
    if (this.#untold.size === 0 || !this.#untold.has(key)) return changeOf(before, after);
    const told = this.#untold.get(key);
    const change: Notification<T> =
      told === undefined
        ? { type: "add", object: after }
        : { type: "update", before: told, after, sync: false };
    this.#untold.delete(key);
    return change;
  }

  /** Deletions come first, then the rest in the order of the list. upstream: tools/cache/controller.go#processReplacedAllInfo */
  *#replaceAll(objects: Map<string, T>, resourceVersion: string, initial: boolean): Steps<void> {
    const { store } = this.#options;
    const notifications: Notification<T>[] = [];
    for (const [key, object] of store.entries()) {
      if (!objects.has(key)) notifications.push({ type: "delete", object, missed: true });
      yield;
    }
    for (const [key, object] of objects) {
      notifications.push(this.#change(key, store.get(key), object));
      yield;
    }
    const exchange = yield* store.prepareReplace(objects, resourceVersion);
    exchange();
    this.#options.distribute({ notifications, initial });
  }

  #syncAll(): void {
    const notifications = this.#options.store.list().map((object) => changeOf(object, object));
    this.#options.distribute({ notifications, initial: false });
  }
}

function changeOf<T extends PartialObject>(before: T | undefined, after: T): Notification<T> {
  if (before === undefined) return { type: "add", object: after };
  const sync = before.metadata.resourceVersion === after.metadata.resourceVersion;
  return { type: "update", before, after, sync };
}
