import { ScheduleError } from "../../pkg/api/cron/fields.ts";
import type { Schedule } from "../../pkg/api/cron/schedule.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { managerChanged, managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { CronJobContext } from "./context.ts";
import { untilNextMs } from "./missed-schedules.ts";
import { scheduleOf } from "./start.ts";

type Listening = Pick<CronJobContext, "cronJobs" | "clock" | "events" | "localZone">;

/** A CronJob with a new schedule waits for its time; any other change is looked at now. */
export function cronJobHandler(
  context: Listening,
  queue: WorkQueue<string>,
  log: Logger,
): EventHandler<CronJob> {
  return {
    onAdd: (cronJob, inInitialList) => queue.add(keyOf(cronJob), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      const sameSchedule =
        before.spec.schedule === after.spec.schedule && before.spec.timeZone === after.spec.timeZone;
      if (sameSchedule) {
        const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
        return queue.add(keyOf(after), isResync ? "background" : "live");
      }
      const schedule = readSchedule(context, after, log);
      if (schedule === undefined) return undefined;
      return queue.addAfter(keyOf(after), untilNextMs(after, schedule, context.clock.nowMs()) ?? 0);
    },
    onDelete: (cronJob) => queue.add(keyOf(cronJob)),
  };
}

/** Wakes the CronJob of a Job that appeared, changed or went. */
export function jobHandler(context: Listening, queue: WorkQueue<string>): EventHandler<Job> {
  const wakeManagerOf = (job: Job, priority: Priority = "live"): void => {
    const cronJob = managerOf(context.cronJobs, "CronJob", job);
    if (cronJob !== undefined) queue.add(keyOf(cronJob), priority);
  };
  return {
    onAdd: (job, inInitialList) => wakeManagerOf(job, inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // A resync: the same version again.
      if (before.metadata.resourceVersion === after.metadata.resourceVersion) return;
      if (managerChanged(before, after)) wakeManagerOf(before);
      wakeManagerOf(after);
    },
    onDelete: (job) => wakeManagerOf(job),
  };
}

function readSchedule(context: Listening, cronJob: CronJob, log: Logger): Schedule | undefined {
  try {
    return scheduleOf(cronJob, context.localZone);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    log.warn("The schedule cannot be read", { cronJob: keyOf(cronJob), problem: error.message });
    const message = `unparseable schedule for cronjob: ${cronJob.spec.schedule}`;
    context.events.event(cronJob, "Warning", "UnParseableCronJobSchedule", message);
    return undefined;
  }
}
