import type { PartialObject, Stored } from "../../api/object.ts";
import type { Lister } from "../store/lister.ts";
import type { ValuesOf } from "../store/store-index.ts";

/** Handlers run one at a time per registration, in order, and only compute keys and enqueue. */
export interface ObjectHandler<T> {
  onAdd?(object: T, inInitialList: boolean): void;
  onUpdate?(before: T, after: T): void;
  /** `missed` is true when the deletion was inferred from a relist, so that `object` may be older than the last. */
  onDelete?(object: T, missed: boolean): void;
}

export type EventHandler<T extends PartialObject> = ObjectHandler<Stored<T>>;

export interface HandlerOptions {
  /** How often the handler is told of everything again. 0: never; absent: as the informer does by default. */
  readonly resyncMs?: number;
}

interface Synced {
  hasSynced(): boolean;
  /** Resolves to true as soon as it has synced; to false when the signal aborts, or when it never will. */
  whenSynced(signal: AbortSignal): Promise<boolean>;
}

/** Has synced when the handler has been given everything that the initial list held. */
export interface HandlerRegistration extends Synced {
  remove(): void;
}

export type IndexFunction<T extends PartialObject> = ValuesOf<Stored<T>>;

/** Name of the index that every namespaced informer has. */
export const NAMESPACE_INDEX = "namespace";

/** Has synced when the cache holds a complete list. */
export interface SharedInformer<T extends PartialObject = PartialObject> extends Synced {
  readonly lister: Lister<T>;
  addHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /**
   * May be called at any time; the index is built from what the cache holds. A second function under one name is an
   * error. An object on which the function throws is in no bucket of that index.
   */
  addIndex(name: string, index: IndexFunction<T>): void;
  /**
   * Hands over what the server has now, past the cache: read as the cache is filled, page by page. What was handed over
   * may come again.
   */
  listLive(onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<void>;
  /**
   * The resourceVersion up to which the cache has seen everything, of the namespace if it is given; "" before the first
   * list, and where that is not known.
   */
  lastSyncResourceVersion(namespace?: string): string;
  /** Monotonic time since when the cache has not heard from the server (no event, bookmark or list), for health. */
  silentSinceMs(): number;
}
