import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Histogram } from "../../pkg/metrics/metrics.ts";

/** All that the clean-up of a Job works with. */
export interface TtlContext {
  readonly jobs: Lister<Job>;
  readonly client: Pick<ResourceClient<Job>, "get" | "delete">;
  readonly clock: Clock;
  readonly deletionSeconds: Histogram;
}
