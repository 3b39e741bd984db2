import type { ApiObject } from "../../api/object.ts";
import type { Resource, TypedResource } from "../../api/resource.ts";
import { bucketName, storageKey } from "../server/served-resource.ts";
import type { Store } from "../storage/store.ts";

/** What the server knows right now, for decisions about requests. */
export interface ClusterReader {
  get<T>(resource: TypedResource<T>, namespace: string, name: string): (T & ApiObject) | undefined;
  /** In one namespace, or everywhere when that is "". */
  list<T>(resource: TypedResource<T>, namespace?: string): readonly (T & ApiObject)[];
}

export function storeReader(store: Store): ClusterReader {
  const bucketOf = (resource: Resource): string => bucketName(resource.group, resource.plural);
  return {
    get<T>(resource: TypedResource<T>, namespace: string, name: string) {
      const found = store.get(bucketOf(resource), storageKey(resource.namespaced, namespace, name));
      return found as (T & ApiObject) | undefined;
    },
    list<T>(resource: TypedResource<T>, namespace = "") {
      const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
      return store.scan(bucketOf(resource), { prefix }).items as readonly (T & ApiObject)[];
    },
  };
}
