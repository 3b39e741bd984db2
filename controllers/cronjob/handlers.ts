import { ScheduleError } from "../../pkg/api/cron/fields.ts";
import type { Schedule } from "../../pkg/api/cron/schedule.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { CronJob } from "../../pkg/api/types/batch-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { CronJobContext } from "./context.ts";
import { untilNextMs } from "./missed-schedules.ts";
import { scheduleOf } from "./start.ts";

type Listening = Pick<CronJobContext, "clock" | "events" | "localZone" | "log">;

/** A CronJob with a new schedule waits for its time; any other change is looked at now. */
export function cronJobRule(context: Listening): WakeRule<CronJob> {
  return (change, wake) => {
    const { object } = change;
    if (change.type !== "updated" || !isRescheduled(change.before, object)) return wake(keyOf(object));
    const schedule = readSchedule(context, object);
    if (schedule !== undefined)
      wake(keyOf(object), untilNextMs(object, schedule, context.clock.nowMs()) ?? 0);
  };
}

function isRescheduled({ spec: before }: CronJob, { spec: after }: CronJob): boolean {
  return before.schedule !== after.schedule || before.timeZone !== after.timeZone;
}

function readSchedule({ events, localZone, log }: Listening, cronJob: CronJob): Schedule | undefined {
  try {
    return scheduleOf(cronJob, localZone);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    log.warn("The schedule cannot be read", { cronJob: keyOf(cronJob), problem: error.message });
    const message = `unparseable schedule for cronjob: ${cronJob.spec.schedule}`;
    events.event(cronJob, "Warning", "UnParseableCronJobSchedule", message);
    return undefined;
  }
}
