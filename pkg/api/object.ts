import type { Int64 } from "./int64.ts";

/** What every Kubernetes object has, as JSON on the wire: times are RFC 3339 strings, versions opaque strings. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/**
 * An object of which perhaps only a part is known, as in a cache. The part that is always there has a type; what may be
 * missing is unknown, so that nobody takes it for something that the object does not have.
 */
export interface PartialObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: PartialMeta;
}

interface PartialMeta extends Omit<ObjectMeta, UncertainMeta>, Uncertain {}

/** What is there only where it was asked for, and what is never kept. */
interface Uncertain {
  readonly annotations?: unknown;
  readonly managedFields?: unknown;
  readonly selfLink?: unknown;
}

export type UncertainMeta = keyof Uncertain;

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: Int64;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: Int64;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
}

/** The metadata of a kind whose objects are in namespaces. */
export interface NamespacedMeta extends ObjectMeta {
  /** Tells the types apart, and has no value at run time. */
  readonly __isInNamespace?: never;
}

/**
 * An object as a server has given it, from a cache or in an answer: it has its identity, and a version. What is about to
 * be written may be without.
 */
export type Stored<T extends PartialObject = ApiObject> = T & {
  readonly metadata: StoredMeta & (keyof T["metadata"] extends keyof ObjectMeta ? unknown : InNamespace);
};

/** Any object that a server has given. */
export type StoredObject = Stored<PartialObject>;

/** Whether a server has given the object: what is yet to be created has no uid. */
export function isStored<T extends PartialObject>(object: T): object is T & StoredObject {
  return object.metadata.uid !== undefined;
}

// That they are uncertain in every part keeps the compiler from taking one part for metadata that has no annotations.
interface StoredMeta extends Uncertain {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface InNamespace extends Uncertain {
  readonly namespace: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: Int64;
  readonly selfLink?: string;
  readonly shardInfo?: ShardInfo;
}

/** Which shard of a collection a list holds. */
export interface ShardInfo {
  readonly selector: string;
}

export interface ObjectList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/** Namespace and name; cluster-scoped objects have no namespace. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

/** metav1.Status: the API server's answer to a failed (and to some successful) requests. */
export interface Status {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ListMeta;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly StatusCause[];
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export interface WatchEvent<T> {
  readonly type: WatchEventType;
  /** For BOOKMARK: only metadata.resourceVersion (and annotations) carry meaning. */
  readonly object: T;
  /** The object is nobody else's, and has the fields that were asked for and no others. */
  readonly exact?: boolean;
}

/** The key of informers and work queues: `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(object: PartialObject): string {
  return refKey(object.metadata.namespace, object.metadata.name ?? "");
}

export function refKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The inverse of refKey. */
export function splitKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
