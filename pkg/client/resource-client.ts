import type {
  ApiObject,
  ListMeta,
  ObjectList,
  ObjectRef,
  Status,
  Stored,
  WatchEvent,
} from "../api/object.ts";
import type { PropagationPolicy } from "../api/propagation-policy.ts";
import type { WantedFields } from "../api/protobuf/message-plan.ts";
import type { Resource } from "../api/resource.ts";

export interface GetOptions {
  readonly resourceVersion?: string;
}

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selectors {
  /** All namespaces when left out. */
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends Selectors {
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** Nothing else of the objects is read, and may be missing. It allows for protobuf, which tells less (unknown fields). */
  readonly fields?: WantedFields;
  /**
   * Told of an event that cannot be read, and the watch goes on with the next one, unless this throws. Without it such an
   * event ends the watch with its error.
   */
  readonly onUnreadable?: (error: unknown) => void;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Writes the object as text, where the server keeps the very bytes (create and update only). Absent: JSON. */
  readonly encode?: (object: unknown) => string;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export type Patch =
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown };

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Subresources that are a part of the object: a write to one is answered with the whole. */
export type WholeSubresource = "status" | "resize" | "ephemeralcontainers";

/**
 * The verbs of one resource. A failure of any kind rejects with an ApiError (errors.ts); an abort rejects with the
 * signal's reason. Objects are as on the wire: fields unknown to the types survive.
 */
export interface ResourceClient<T extends ApiObject = ApiObject> {
  readonly resource: Resource;

  get(ref: ObjectRef, options?: GetOptions, signal?: AbortSignal): Promise<Stored<T>>;
  /** One page (all of it when no limit is given). */
  list(options?: ListOptions, signal?: AbortSignal): Promise<ObjectList<Stored<T>>>;
  /** As list, but hands over the items one by one as they arrive, and never holds the text of the answer. */
  listEach(options: ListOptions, onItem: (item: Stored<T>) => void, signal?: AbortSignal): Promise<ListMeta>;
  /** Events in order, bookmarks included. An ERROR event rejects with its ApiError; an orderly end just ends. */
  watch(options: WatchOptions, signal?: AbortSignal): AsyncIterable<WatchEvent<Stored<T>>>;

  create(object: T, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<T>>;
  update(object: T, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<T>>;
  updateStatus(object: T, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<T>>;
  patch(
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: WholeSubresource },
    signal?: AbortSignal,
  ): Promise<Stored<T>>;
  /** Server-side apply; the name and namespace are the object's. */
  apply(
    object: Partial<T> & ApiObject,
    options: WriteOptions & {
      readonly fieldManager: string;
      readonly force?: boolean;
      readonly subresource?: WholeSubresource;
    },
    signal?: AbortSignal,
  ): Promise<Stored<T>>;
  /** The deleted object, or the Status when the server answers with that. */
  delete(ref: ObjectRef, options?: DeleteOptions, signal?: AbortSignal): Promise<Stored<T> | Status>;
  deleteCollection(list: ListOptions, options?: DeleteOptions, signal?: AbortSignal): Promise<void>;

  getSubresource<S>(ref: ObjectRef, subresource: string, signal?: AbortSignal): Promise<S>;
  /** POST to a subresource: binding, eviction, token. */
  createSubresource<S>(ref: ObjectRef, subresource: string, body: unknown, signal?: AbortSignal): Promise<S>;
  /** PATCH of a subresource that is an object of another kind: scale. */
  patchSubresource<S>(ref: ObjectRef, subresource: string, patch: Patch, signal?: AbortSignal): Promise<S>;
  /** PUT to a subresource: scale, approval, finalize, status. */
  updateSubresource<S>(ref: ObjectRef, subresource: string, body: unknown, signal?: AbortSignal): Promise<S>;
}
