import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedPods } from "../../pkg/controller/owned-pods.ts";
import type { RecordedWrites } from "../../pkg/controller/recorded-writes.ts";
import type { BackoffRecord } from "./backoff.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";
import { POD_FIELDS, TRACKING_FINALIZER } from "./job-pods.ts";
import { jobMetrics } from "./metrics.ts";
import { TRACKED_PODS_INDEX, trackedPodsIndex } from "./tracked-pods.ts";

/** Changes of pods and statuses are looked at together, once in this time. */
export const BATCH_MS = 1_000;

/** All that a sync of a Job works with. */
export type JobContext = ReturnType<typeof jobContext>;

export function jobContext(kit: Kit) {
  const { clock, events, features, metrics } = kit.env;
  const jobs = kit.reads(resources.jobs);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  const namespaces = kit.reads(resources.namespaces, { fields: [], resyncMs: 0 });
  pods.addIndex(TRACKED_PODS_INDEX, trackedPodsIndex);
  const writes: Pick<RecordedWrites<Job>, "updateStatus"> = kit.writes(resources.jobs);
  kit.readYourWrites({ featureGate: "StaleControllerConsistencyJob", skipsOf: resources.jobs });
  return {
    jobs,
    pods,
    namespaces,
    writes,
    owned: new OwnedPods(kit, {
      owners: jobs,
      pods,
      podClient: kit.env.client.metadata(resources.pods),
      finalizer: TRACKING_FINALIZER,
    }),
    finalizers: new FinalizerExpectations(),
    backoffs: new PerOwner<BackoffRecord>(),
    /** Jobs that were told to have finished, while the cache does not show it yet. */
    finished: new PerOwner<true>(),
    events,
    clock,
    features,
    metrics: jobMetrics(metrics),
  };
}
