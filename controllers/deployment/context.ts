import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";

/** All that a sync of a Deployment works with. */
export interface DeploymentContext {
  readonly deployments: Lister<Deployment>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly pods: Lister<Pod>;
  readonly deploymentClient: ResourceClient<Deployment>;
  readonly replicaSetClient: ResourceClient<ReplicaSet>;
  readonly events: EventRecorder;
  readonly consistency: ConsistencyStore;
  readonly countsTerminating: boolean;
  readonly clock: Clock;
}

/** What a sync has in hand: as the cache knows it at first, then as the server answered to each write. */
export interface Round {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}
