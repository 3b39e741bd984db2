import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import { JOB_FIELDS } from "./expiry.ts";

/** All that the clean-up of a Job works with. */
export type TtlContext = ReturnType<typeof ttlContext>;

export function ttlContext(kit: Kit) {
  const { client, clock, metrics } = kit.env;
  return {
    jobs: kit.reads(resources.jobs, { fields: JOB_FIELDS }),
    client: client.clientFor(resources.jobs),
    clock,
    deletionSeconds: metrics.histogram({
      name: "ttl_after_finished_controller_job_deletion_duration_seconds",
      help: "Seconds from when a finished Job's time to live was over to its deletion.",
      buckets: doublingBuckets(0.1, 14),
      stability: "ALPHA",
    }),
  };
}
