/*
 * Caches that follow the API server: one informer for each resource, however many look at it, and listers over it.
 *
 *     const informers = new SharedInformerFactory({ clients: cluster, ... });
 *     const pods = informers.informer(resources.pods, { fields: ["status.phase"] });
 *     informers.start(signal);
 *     await informers.waitForSync(signal);
 *     pods.lister.list();
 */
export {
  SharedInformerFactory,
  UndeclaredReadError,
  type InformerFactoryOptions,
  type InformerHealth,
  type InformerOptions,
  type Informers,
  type MetadataInformerOptions,
  type Strict,
} from "./informer/informer-factory.ts";
export {
  NAMESPACE_INDEX,
  type EventHandler,
  type HandlerOptions,
  type HandlerRegistration,
  type IndexFunction,
  type ObjectHandler,
  type SharedInformer,
} from "./informer/informer.ts";
export type { Lister } from "./store/lister.ts";
export type { Fields, Seen } from "./store/projection.ts";
export { Store } from "./store/store.ts";
export { StoreLister } from "./store/store-lister.ts";
export { Reflector, type ReflectorOptions, type ReflectorSink } from "./feed/reflector.ts";
export { scopedListWatch, type ListWatch, type Scope } from "./feed/list-watch.ts";
export type { Delta, DeltaBatch, ObjectDelta, WholeDelta } from "./feed/delta.ts";
