import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import { cronJobContext } from "./context.ts";
import { cronJobRule } from "./handlers.ts";
import { syncCronJob } from "./sync.ts";

export interface CronJobSettings {
  readonly workers: number;
  /** Name of the time zone whose clocks count for a CronJob that names none. */
  readonly localTimeZone: string;
}

/** Starts Jobs at the times that a schedule says. */
export function cronJobController(settings: CronJobSettings): ControllerDescriptor {
  return {
    name: "cronjob-controller",
    clientName: "cronjob-controller",
    eventSource: "cronjob-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, { workers, localTimeZone }: CronJobSettings): void {
  const context = cronJobContext(kit, localTimeZone);
  const { cronJobs, jobs, consistency } = context;
  const queue = kit.ownerQueue({
    name: "cronjob",
    workers,
    owners: cronJobs,
    consistency,
    wakes: cronJobRule(context),
    sync: async (sync) => syncCronJob(sync, context),
  });
  jobs.wakes(queue, itsOwner({ owners: cronJobs }));
}
