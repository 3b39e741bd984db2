import type { ApiObject } from "../../../pkg/api/object.ts";
import { bucketName } from "../../../pkg/apiserver/server/served-resource.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { CronJob, Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";

/** Everything of one kind on the server, in order of names. */
export function objectsIn<T extends ApiObject>(store: Store, resource: TypedResource<T>): readonly T[] {
  const { items } = store.scan(bucketName(resource.group, resource.plural), { prefix: "" });
  return items as unknown as readonly T[];
}

export const podsIn = (store: Store): readonly Pod[] => objectsIn<Pod>(store, resources.pods);
export const replicaSetsIn = (store: Store): readonly ReplicaSet[] =>
  objectsIn<ReplicaSet>(store, resources.replicaSets);
export const deploymentsIn = (store: Store): readonly Deployment[] =>
  objectsIn<Deployment>(store, resources.deployments);
export const controllersIn = (store: Store): readonly ReplicationController[] =>
  objectsIn<ReplicationController>(store, resources.replicationControllers);
export const jobsIn = (store: Store): readonly Job[] => objectsIn<Job>(store, resources.jobs);
export const cronJobsIn = (store: Store): readonly CronJob[] => objectsIn<CronJob>(store, resources.cronJobs);

export function ownedBy<T extends ApiObject>(objects: readonly T[], owner: ApiObject): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}
