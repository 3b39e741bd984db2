import type { PartialObject, Stored } from "../../api/object.ts";
import { keyOf } from "../../api/object.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import type { Logger } from "../../log/logger.ts";
import { DeltaQueue } from "./delta-queue.ts";
import { DeltaPump } from "./delta-pump.ts";
import { HandlerSet } from "./handler-set.ts";
import type {
  EventHandler,
  HandlerOptions,
  HandlerRegistration,
  IndexFunction,
  SharedInformer,
} from "./informer.ts";
import { NAMESPACE_INDEX } from "./informer.ts";
import type { ListWatch } from "../feed/list-watch.ts";
import { listAll } from "../feed/paged-list.ts";
import type { Lister } from "../store/lister.ts";
import { Reflector } from "../feed/reflector.ts";
import type { TaskTurns } from "../../clock/task-turns.ts";
import { Store } from "../store/store.ts";
import { StoreLister } from "../store/store-lister.ts";
import { SyncWaiters } from "./sync-waiters.ts";

interface ResourceInformerOptions<T extends PartialObject> {
  readonly source: ListWatch<Stored<T>>;
  /** Called once with every object that comes from the server. */
  readonly transform: (object: Stored<T>, exact: boolean) => Stored<T>;
  readonly namespaced: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly tasks: TaskTurns;
  /** The resync period of handlers that ask for none in particular; 0 for never. */
  readonly resyncMs: number;
  readonly onBatch: (tookMs: number) => void;
  /** Ask for the first state as a stream of events rather than as a list. Default true. */
  readonly streamLists?: boolean;
}

/** Reflector, queue, store and handlers of one resource. It runs once. */
export class ResourceInformer<T extends PartialObject> implements SharedInformer<T> {
  readonly lister: Lister<T>;
  readonly #options: ResourceInformerOptions<T>;
  readonly #store = new Store<Stored<T>>();
  readonly #queue = new DeltaQueue<Stored<T>>();
  readonly #pump: DeltaPump<Stored<T>>;
  readonly #handlers: HandlerSet<Stored<T>>;
  readonly #reflector: Reflector<Stored<T>>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #syncWaiters = new SyncWaiters();
  #failure: unknown;
  #indexFailures = 0;
  #phase: "new" | "running" | "stopped" = "new";

  constructor(options: ResourceInformerOptions<T>) {
    const { clock, random, log, tasks } = options;
    this.#options = options;
    this.lister = new StoreLister(this.#store);
    this.#handlers = new HandlerSet<Stored<T>>({
      clock,
      log,
      tasks,
      informer: this,
      defaultResyncMs: options.resyncMs,
    });
    this.#pump = new DeltaPump<Stored<T>>({
      queue: this.#queue,
      store: this.#store,
      tasks,
      clock,
      distribute: (batch) => this.#handlers.distribute(batch),
      onBatch: (tookMs) => this.#afterBatch(tookMs),
      onFailure: (error) => this.#restart(error),
    });
    const { source, transform } = options;
    const streamLists = options.streamLists ?? true;
    this.#reflector = new Reflector<Stored<T>>({
      source,
      transform,
      sink: this.#pump,
      keyOf,
      clock,
      random,
      log,
      streamLists,
    });
    if (options.namespaced) {
      this.#store.addIndex(NAMESPACE_INDEX, (object) => [object.metadata.namespace ?? ""]);
    }
  }

  /** Resolves when the signal has aborted and all work has ended. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== "new") throw new Error("an informer runs only once");
    this.#phase = "running";
    this.#handlers.start();
    const cancelResync = this.#resyncRegularly();
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#phase = "stopped";
      cancelResync();
      this.#pump.stop();
      this.#handlers.clear();
      this.#syncWaiters.settle();
    }
  }

  get running(): boolean {
    return this.#phase === "running";
  }

  addHandler(handler: EventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    if (this.#phase === "stopped")
      throw new Error("a handler cannot be added to an informer that has stopped");
    const notifications = this.#store.list().map((object) => ({ type: "add" as const, object }));
    return this.#handlers.add(handler, options, { notifications, initial: true });
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    if (this.#indexes.get(name) === index) return;
    this.#store.addIndex(name, (object) => {
      try {
        return index(object);
      } catch (error) {
        this.#indexFailures++;
        this.#options.log.error(error, "An index function failed", { index: name });
        return [];
      }
    });
    this.#indexes.set(name, index);
  }

  hasSynced(): boolean {
    return this.#queue.hasSynced;
  }

  async whenSynced(signal: AbortSignal): Promise<boolean> {
    if (!this.hasSynced() && this.#phase !== "stopped") await this.#syncWaiters.wait(signal);
    return this.hasSynced();
  }

  async listLive(onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<void> {
    const { source, transform } = this.#options;
    await listAll(
      source,
      {
        resourceVersion: "",
        paged: true,
        onItem: (item) => onItem(transform(item, false)),
        onRestart: () => undefined,
      },
      signal,
    );
  }

  lastSyncResourceVersion(): string {
    return this.#store.resourceVersion;
  }

  silentSinceMs(): number {
    return this.#reflector.heardMs;
  }

  /** What failed last in talking to the server; undefined once something succeeded. */
  lastError(): unknown {
    return this.#reflector.lastError;
  }

  /** Why the cache lacks something, until everything is had anew. */
  failure(): unknown {
    return this.#failure;
  }

  /** Events on which a handler threw, and objects on which an index function did. */
  handlerFailures(): number {
    return this.#handlers.failures + this.#indexFailures;
  }

  /** Changes that wait for the store. */
  queued(): number {
    return this.#queue.length;
  }

  #afterBatch(tookMs: number): void {
    if (!this.#reflector.isLost && this.#queue.length === 0) this.#failure = undefined;
    this.#options.onBatch(tookMs);
    if (this.hasSynced()) this.#syncWaiters.settle();
  }

  #restart(error: unknown): void {
    this.#failure = error;
    this.#reflector.restart(error);
  }

  #resyncRegularly(): () => void {
    const { clock } = this.#options;
    const periodMs = this.#handlers.checkMs;
    if (periodMs === 0) return () => undefined;
    const tick = (): void => {
      timer = clock.setTimer(periodMs, tick);
      if (this.hasSynced() && this.#handlers.resyncDue()) this.#pump.take({ type: "resync" });
    };
    let timer = clock.setTimer(periodMs, tick);
    return () => timer.cancel();
  }
}
