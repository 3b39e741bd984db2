import type { PartialObject, Stored } from "../api/object.ts";
import { groupResource, type TypedResource } from "../api/resource.ts";
import type {
  HandlerOptions,
  HandlerRegistration,
  IndexFunction,
  SharedInformer,
} from "../cache/informer/informer.ts";
import type { Lister } from "../cache/store/lister.ts";
import type { Synced } from "./caches-ready.ts";
import { type Change, changeHandler } from "./change.ts";
import type { KnownObject, VersionedCache } from "./consistency.ts";
import type { KeyQueue } from "./key-queue.ts";

/** Wakes a key, now or later. How urgent that is, and why it is done, follows from the change. */
export type Wake<K = string> = (key: K, afterMs?: number) => void;

/** Which keys a change wakes. It only computes keys: what it reads are caches. */
export type WakeRule<T extends PartialObject, K = string> = (change: Change<T>, wake: Wake<K>) => void;

/** The objects that others belong to: they are read, and nothing is written with their resource. */
export type OwnerCache<O extends PartialObject> = Pick<Cache<O, PartialObject>, "lister" | "resource">;

/**
 * The objects of a resource as one controller sees them, and what the controller does when they change. `Whole` is what
 * is written to the server, where only a part is read.
 */
export class Cache<T extends PartialObject, Whole extends PartialObject = T> implements VersionedCache {
  readonly resource: TypedResource<Whole>;
  readonly lister: Lister<T>;
  readonly #informer: SharedInformer<T>;
  readonly #options: HandlerOptions;
  readonly #listeners: ((change: Change<T>) => void)[] = [];
  #registration: HandlerRegistration | undefined;

  constructor(resource: TypedResource<Whole>, informer: SharedInformer<T>, options: HandlerOptions) {
    this.resource = resource;
    this.lister = informer.lister;
    this.#informer = informer;
    this.#options = options;
  }

  /** Every change wakes the keys that the rule names. */
  wakes<K>(queue: KeyQueue<K>, rule: WakeRule<T, K>): void {
    const resource = groupResource(this.resource);
    let change: Change<T>;
    const wake: Wake<K> = (key, afterMs) => queue.changed(key, resource, change, afterMs);
    this.hears((told) => {
      change = told;
      rule(told, wake);
    });
  }

  /** Listeners and rules are told of each change in the order in which they were given. */
  hears(listener: (change: Change<T>) => void): void {
    this.#listeners.push(listener);
    this.#register();
  }

  /** The listeners are told nothing any more. */
  end(): void {
    this.#registration?.remove();
  }

  /** What the listeners are told through; whoever removes it ends that. */
  get registration(): HandlerRegistration {
    return this.#register();
  }

  #register(): HandlerRegistration {
    this.#registration ??= this.#informer.addHandler(
      changeHandler<T>((change) => {
        for (const each of this.#listeners) each(change);
      }),
      this.#options,
    );
    return this.#registration;
  }

  /** Readers find objects by what the function gives for them. One function serves all that ask for it under one name. */
  addIndex(name: string, index: IndexFunction<T>): void {
    this.#informer.addIndex(name, index);
  }

  /**
   * Hands over what the server has now, past the cache and with the rights that the cache is filled with. What was handed
   * over may come again.
   */
  async listLive(onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<void> {
    return this.#informer.listLive(onItem, signal);
  }

  lastSyncResourceVersion(namespace?: string): string {
    return this.#informer.lastSyncResourceVersion(namespace);
  }

  holds({ namespace, name, uid }: KnownObject): boolean {
    return this.lister.get(namespace, name)?.metadata.uid === uid;
  }

  /** Whether the cache is full and whoever hears it has been told of what was there. */
  get synced(): Synced {
    return this.#registration ?? this.#informer;
  }
}
