import type { LabelSelector } from "../../api/labels.ts";
import type { ApiObject } from "../../api/object.ts";

/** A read-only view of a cache. Objects and arrays are shared: never changed by the reader. */
export interface Lister<T extends ApiObject> {
  /** By namespace and name; the namespace is undefined for cluster-scoped resources. */
  get(namespace: string | undefined, name: string): T | undefined;
  /** By key, `namespace/name`. */
  getByKey(key: string): T | undefined;
  list(selector?: LabelSelector): readonly T[];
  inNamespace(namespace: string, selector?: LabelSelector): readonly T[];
  byIndex(index: string, value: string): readonly T[];
}
