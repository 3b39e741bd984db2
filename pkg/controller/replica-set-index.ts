import type { Deployment, ReplicaSet } from "../api/types/apps-v1.gen.ts";
import type { Lister } from "../cache/lister.ts";
import { controllerIndex, orphansBeside, ownedBy } from "./controller-index.ts";

export const REPLICA_SET_CONTROLLER_INDEX = "replicaSetController";

export const replicaSetControllerIndex = controllerIndex;

/**
 * The ReplicaSets that the Deployment manages, then those of its namespace that nobody manages and that it may adopt.
 * upstream: getReplicaSetsForDeployment looks at all of the namespace for each Deployment in it.
 */
export function ownedAndOrphanedReplicaSets(
  replicaSets: Lister<ReplicaSet>,
  deployment: Deployment,
): readonly ReplicaSet[] {
  return [
    ...ownedReplicaSets(replicaSets, deployment),
    ...orphansBeside(replicaSets, REPLICA_SET_CONTROLLER_INDEX, deployment),
  ];
}

/** The ReplicaSets that the Deployment manages. */
export function ownedReplicaSets(
  replicaSets: Lister<ReplicaSet>,
  deployment: Deployment,
): readonly ReplicaSet[] {
  return ownedBy(replicaSets, REPLICA_SET_CONTROLLER_INDEX, deployment, "Deployment");
}
