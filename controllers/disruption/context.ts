import type { Deployment, ReplicaSet, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { rememberedCoverage } from "./budget.ts";
import type { Scales } from "./sync-scale.ts";

/** The owners of pods that are looked up in caches. */
export interface OwnerListers {
  readonly replicationControllers: Lister<ReplicationController>;
  readonly replicaSets: Lister<ReplicaSet>;
  readonly deployments: Lister<Deployment>;
  readonly statefulSets: Lister<StatefulSet>;
}

/** All that a sync of a budget, or of a pod's condition, works with. */
export interface DisruptionContext {
  readonly budgets: Lister<PodDisruptionBudget>;
  readonly pods: Lister<Pod>;
  readonly owners: OwnerListers;
  /** For owners of all other kinds. */
  readonly scales: Pick<Scales, "scaleOf">;
  readonly budgetClient: Pick<ResourceClient<PodDisruptionBudget>, "updateStatus">;
  readonly podClient: Pick<ResourceClient<Pod>, "patch">;
  readonly covers: ReturnType<typeof rememberedCoverage>;
  readonly consistency: ConsistencyStore;
  readonly events: EventRecorder;
  readonly clock: Clock;
}
