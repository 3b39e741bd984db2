import { resources } from "../../pkg/api/resources.ts";
import { CONTROLLER_INDEX, controllerIndex } from "../../pkg/controller/controller-index.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedObjects } from "../../pkg/controller/owned-objects.ts";
import { POD_FIELDS } from "./recreate.ts";

/** All that a sync of a Deployment works with. */
export type DeploymentContext = ReturnType<typeof deploymentContext>;

export function deploymentContext(kit: Kit) {
  const { client, clock, events, features } = kit.env;
  const deployments = kit.reads(resources.deployments);
  const replicaSets = kit.reads(resources.replicaSets);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(CONTROLLER_INDEX, controllerIndex);
  return {
    deployments,
    replicaSets,
    pods,
    writes: kit.writes(resources.deployments),
    replicaSetClient: client.clientFor(resources.replicaSets),
    owned: new OwnedObjects(kit, { owners: deployments, objects: replicaSets }),
    events,
    clock,
    /** Whether the status counts pods that are being deleted. */
    countsTerminating: features.enabled("DeploymentReplicaSetTerminatingReplicas"),
  };
}
