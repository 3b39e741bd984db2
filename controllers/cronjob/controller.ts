import { defineController } from "../../pkg/controller/kit.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import { cronJobContext } from "./context.ts";
import { cronJobRule } from "./handlers.ts";
import { syncCronJob } from "./sync.ts";

export interface CronJobSettings {
  readonly workers: number;
  /**
   * Name of the time zone whose clocks count for a CronJob that names none. Asked for with the first CronJob: what the
   * engine reads of zones and languages for it takes 4 MiB.
   */
  readonly localTimeZone: () => string;
}

/** Starts Jobs at the times that a schedule says. */
export const cronJobController = defineController(
  { name: "cronjob-controller", eventSource: "cronjob-controller" },
  (kit, { workers, localTimeZone }: CronJobSettings) => {
    const context = cronJobContext(kit, localTimeZone);
    const { cronJobs, jobs } = context;
    const queue = kit.ownerQueue({
      name: "cronjob",
      workers,
      owners: cronJobs,
      wakes: cronJobRule(context),
      sync: async (sync) => syncCronJob(sync, context),
    });
    jobs.wakes(queue, itsOwner({ owners: cronJobs }));
  },
);
