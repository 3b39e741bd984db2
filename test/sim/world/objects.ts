import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/embedded/storage/store.ts";

/** Everything of one kind on the server, in order of names. */
export function objectsIn<T extends ApiObject>(store: Store, bucket: string): readonly T[] {
  return store.scan(bucket, { prefix: "" }).items as readonly ApiObject[] as readonly T[];
}

export const podsIn = (store: Store): readonly Pod[] => objectsIn(store, "pods");
export const replicaSetsIn = (store: Store): readonly ReplicaSet[] => objectsIn(store, "apps/replicasets");
export const deploymentsIn = (store: Store): readonly Deployment[] => objectsIn(store, "apps/deployments");
export const controllersIn = (store: Store): readonly ReplicationController[] =>
  objectsIn(store, "replicationcontrollers");

export function ownedBy<T extends ApiObject>(objects: readonly T[], owner: ApiObject): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}
