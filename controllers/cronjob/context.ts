import type { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { Histogram } from "../../pkg/metrics/metrics.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";

/** All that a sync of a CronJob works with. */
export interface CronJobContext {
  readonly cronJobs: Lister<CronJob>;
  /** With JOB_MANAGER_INDEX. */
  readonly jobs: Lister<Job>;
  readonly cronJobClient: Pick<ResourceClient<CronJob>, "get" | "updateStatus">;
  readonly jobClient: Pick<ResourceClient<Job>, "get" | "create" | "delete">;
  readonly consistency: ConsistencyStore;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** Whose clocks count for a CronJob that names no time zone. */
  readonly localZone: TimeZone;
  readonly creationSkew: Histogram;
}

/** Jobs by namespace and name of whatever manages them. */
export const JOB_MANAGER_INDEX = "jobManager";
