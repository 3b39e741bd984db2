import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject, Stored } from "../../api/object.ts";
import type {
  EventHandler,
  HandlerOptions,
  HandlerRegistration,
  IndexFunction,
  SharedInformer,
} from "../informer/informer.ts";
import type { Lister } from "./lister.ts";
import type { Projection } from "./projection.ts";

/**
 * For tests: an informer through the eyes of one consumer, who finds only the fields that it declared itself. The cache
 * holds what any consumer reads, which hides what one of them has forgotten.
 */
export class OwnFields<T extends PartialObject> implements SharedInformer<T> {
  readonly lister: Lister<T>;
  readonly shared: SharedInformer<T>;
  readonly #projection: Projection;
  readonly #views = new WeakMap<Stored<T>, Stored<T>>();
  readonly #lists = new WeakMap<readonly Stored<T>[], readonly Stored<T>[]>();
  readonly #indexes: IndexFunction<T>[] = [];

  constructor(shared: SharedInformer<T>, projection: Projection) {
    this.shared = shared;
    this.#projection = projection;
    const { lister } = shared;
    const one = (object: Stored<T> | undefined): Stored<T> | undefined => object && this.#view(object);
    this.lister = {
      get: (namespace, name) => one(lister.get(namespace, name)),
      getByKey: (key) => one(lister.getByKey(key)),
      list: (selector?: LabelSelector) => this.#all(lister.list(selector)),
      inNamespace: (namespace, selector?: LabelSelector) =>
        this.#all(lister.inNamespace(namespace, selector)),
      byIndex: (index, value) => this.#all(lister.byIndex(index, value)),
    };
  }

  addHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    return this.shared.addHandler(
      {
        onAdd: (object, initial) => handler.onAdd?.(this.#view(object), initial),
        onUpdate: (before, after) => handler.onUpdate?.(this.#view(before), this.#view(after)),
        onDelete: (object, missed) => handler.onDelete?.(this.#view(object), missed),
      },
      options,
    );
  }

  /** Indexes are the cache's: one function serves all who ask for it. It is tried on what this one has declared, too. */
  addIndex(name: string, index: IndexFunction<T>): void {
    this.shared.addIndex(name, index);
    this.#indexes.push(index);
  }

  hasSynced(): boolean {
    return this.shared.hasSynced();
  }

  async whenSynced(signal: AbortSignal): Promise<boolean> {
    return this.shared.whenSynced(signal);
  }

  async listLive(onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<void> {
    return this.shared.listLive((item) => onItem(this.#projection.narrow(item)), signal);
  }

  lastSyncResourceVersion(): string {
    return this.shared.lastSyncResourceVersion();
  }

  silentSinceMs(): number {
    return this.shared.silentSinceMs();
  }

  /** The same object each time, as the cache itself gives it: consumers may tell versions apart by identity. */
  #view(object: Stored<T>): Stored<T> {
    let view = this.#views.get(object);
    if (view === undefined) {
      view = this.#projection.narrow(object);
      this.#views.set(object, view);
      for (const index of this.#indexes) index(view);
    }
    return view;
  }

  #all(objects: readonly Stored<T>[]): readonly Stored<T>[] {
    let views = this.#lists.get(objects);
    if (views === undefined) {
      views = Object.freeze(objects.map((object) => this.#view(object)));
      this.#lists.set(objects, views);
    }
    return views;
  }
}
