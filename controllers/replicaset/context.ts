import type { PartialObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedPods } from "../../pkg/controller/owned-pods.ts";
import type { ReplicaOwner } from "./replica-owner.ts";
import { POD_FIELDS } from "./replicas.ts";

/** What sets the twins apart. */
export interface Twin {
  readonly name: string;
  readonly clientName: string;
  readonly queueName: string;
  readonly resource: TypedResource<ReplicaOwner>;
  /** A ReplicationController's status has no field for pods that are being deleted. */
  readonly countsTerminating: boolean;
  /** Whether syncs that were put off are counted: v1.36 has that metric for ReplicaSets only. */
  readonly countsSkips: boolean;
}

/** Owners by the uid of the one that controls them: the ReplicaSets of one Deployment. */
export const CONTROLLER_UID_INDEX = "controllerUid";

/** All that a sync of one of the twins works with. */
export type ReplicaContext = ReturnType<typeof replicaContext>;

export function replicaContext(kit: Kit, twin: Twin) {
  const { clock, features, metrics } = kit.env;
  const owners = kit.reads(twin.resource);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  owners.addIndex(CONTROLLER_UID_INDEX, controllerUid);
  kit.readYourWrites({
    featureGate: "StaleControllerConsistencyReplicaSet",
    ...(twin.countsSkips && { skipsOf: twin.resource }),
  });
  return {
    owners,
    pods,
    writes: kit.writes(twin.resource),
    owned: new OwnedPods(kit, { owners, pods, podClient: kit.env.client.metadata(resources.pods) }),
    /** Whether the status counts pods that are being deleted. */
    countsTerminating: twin.countsTerminating && features.enabled("DeploymentReplicaSetTerminatingReplicas"),
    features,
    clock,
    /** One for both twins, as upstream has it. */
    deletionAges: metrics.histogram({
      name: "replicaset_controller_sorting_deletion_age_ratio",
      help: "How many times as old as the youngest ready pod the ready pods were that a scale-down deleted; below 2 is good.",
      buckets: [0.25, 0.5, 1, 2, 4, 8],
      stability: "ALPHA",
    }),
  };
}

function controllerUid(owner: PartialObject): readonly string[] {
  const controller = controllerOf(owner);
  return controller === undefined ? [] : [controller.uid];
}
