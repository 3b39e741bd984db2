import type { FeatureGates } from "../../pkg/api/feature-gates.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Histogram } from "../../pkg/metrics/metrics.ts";
import type { ConsistencyStore } from "../../pkg/reconcile/consistency.ts";
import type { DeletionTracking, Expectations } from "../../pkg/reconcile/expectations.ts";
import type { PodControl } from "../../pkg/reconcile/pod-control.ts";
import type { ReplicaOwner } from "./replica-owner.ts";

/** All that a sync of one of the twins works with. */
export interface ReplicaContext {
  readonly resource: Resource;
  readonly owners: Lister<ReplicaOwner>;
  readonly pods: Lister<Pod>;
  readonly client: ResourceClient<ReplicaOwner>;
  readonly podControl: PodControl;
  readonly expectations: Expectations;
  readonly deletions: DeletionTracking;
  /** Undefined when the feature gate is off. */
  readonly consistency: ConsistencyStore | undefined;
  /** Whether the status counts pods that are being deleted. */
  readonly countsTerminating: boolean;
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly deletionAges: Histogram;
}

/** Owners by the uid of the one that manages them: the ReplicaSets of one Deployment. */
export const CONTROLLER_UID_INDEX = "controllerUid";
