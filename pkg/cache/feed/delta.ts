/** A change of one object, as a watch tells it. */
export interface ObjectDelta<T> {
  readonly type: "set" | "delete";
  readonly key: string;
  readonly object: T;
}

/** A change of the whole. */
export type WholeDelta<T> =
  /** Everything there is, by key. Whoever takes it owns the map from then on. */
  | { readonly type: "replace"; readonly objects: Map<string, T>; readonly resourceVersion: string }
  /** Every known object is told of again. */
  | { readonly type: "resync" }
  | { readonly type: "bookmark"; readonly resourceVersion: string };

export type Delta<T> = ObjectDelta<T> | WholeDelta<T>;

export interface DeltaBatch<T> {
  readonly deltas: readonly Delta<T>[];
  /** Belongs to the first complete list. */
  readonly initial: boolean;
}
