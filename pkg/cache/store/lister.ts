import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject, Stored } from "../../api/object.ts";

/** A read-only view of a cache. Objects and arrays are shared: never changed by the reader. */
export interface Lister<T extends PartialObject> {
  /** By namespace and name; the namespace is undefined for cluster-scoped resources. */
  get(namespace: string | undefined, name: string): Stored<T> | undefined;
  /** By key, `namespace/name`. */
  getByKey(key: string): Stored<T> | undefined;
  list(selector?: LabelSelector): readonly Stored<T>[];
  inNamespace(namespace: string, selector?: LabelSelector): readonly Stored<T>[];
  byIndex(index: string, value: string): readonly Stored<T>[];
}
