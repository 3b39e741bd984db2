import { keyOf, type PartialObject, type Stored } from "../../pkg/api/object.ts";
import type { IndexFunction } from "../../pkg/cache/informer/informer.ts";
import type { Lister } from "../../pkg/cache/store/lister.ts";
import { Store } from "../../pkg/cache/store/store.ts";
import { StoreLister } from "../../pkg/cache/store/store-lister.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { Cache } from "../../pkg/controller/cache.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { asStored } from "./stored.ts";

/** A cache that holds these objects. */
export function listerOf<T extends PartialObject>(
  objects: readonly T[],
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): Lister<T> {
  const store = new Store<Stored<T>>();
  for (const [name, index] of Object.entries(indexes)) store.addIndex(name, index);
  for (const object of objects) store.set(keyOf(object), asStored(object));
  return new StoreLister(store);
}

/** A cache of a controller that holds these objects, and never changes. */
export function cacheOf<T extends PartialObject, Whole extends PartialObject = T>(
  resource: TypedResource<Whole>,
  objects: readonly T[],
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): Cache<T, Whole> {
  const synced = { hasSynced: () => true, whenSynced: async () => true };
  const informer = {
    ...synced,
    lister: listerOf(objects, indexes),
    addHandler: () => ({ ...synced, remove: () => undefined }),
    addIndex: () => undefined,
    listLive: async () => undefined,
    lastSyncResourceVersion: () => "",
    silentSinceMs: () => 0,
  };
  return new Cache(resource, informer, {});
}

/** The keys that are ready, in order; they are done. */
export function drain<K>(queue: WorkQueue<K>): readonly K[] {
  const keys: K[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}
