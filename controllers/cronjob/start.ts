import { parseSchedule, type Schedule } from "../../pkg/api/cron/schedule.ts";
import { ScheduleError } from "../../pkg/api/cron/fields.ts";
import { type TimeZone, timeZoneNamed } from "../../pkg/api/cron/time-zone.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CronJob } from "../../pkg/api/types/batch-v1.gen.ts";
import { isActiveByName } from "./active-list.ts";
import { jobNameFor } from "./job-from-template.ts";
import { missedSchedules } from "./missed-schedules.ts";

/** What is told to users, as in an event. */
export interface Notice {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Whether a Job starts now. Without a schedule there is no next look: only a change of the CronJob can help. */
export type StartPlan =
  | { readonly action: "none"; readonly why: string; readonly notices: readonly Notice[] }
  | {
      readonly action: "wait";
      readonly why: string;
      readonly schedule: Schedule;
      readonly notices: readonly Notice[];
    }
  | {
      readonly action: "start";
      readonly schedule: Schedule;
      readonly scheduledMs: number;
      /** Jobs that still run are to be deleted first. */
      readonly replaces: boolean;
      readonly notices: readonly Notice[];
    };

/** `local` are the clocks that count for a CronJob that names no time zone. */
export function decideStart(cronJob: Stored<CronJob>, local: TimeZone, nowMs: number): StartPlan {
  const { timeZone } = cronJob.spec;
  if (timeZone !== undefined && timeZoneNamed(timeZone) === undefined) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    return none("its time zone is unknown", [warning("UnknownTimeZone", message)]);
  }
  if (cronJob.spec.suspend === true) return none("it is suspended");
  const notices = unsupportedNotices(cronJob);
  try {
    const schedule = scheduleOf(cronJob, local);
    return decideBySchedule(cronJob, schedule, notices, nowMs);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(cronJob.spec.schedule)} : ${error.message}`;
    return none("its schedule cannot be read", [...notices, warning("UnparseableSchedule", message)]);
  }
}

/** Throws a ScheduleError. A zone within the schedule goes before spec.timeZone; the server lets nobody have both. */
export function scheduleOf({ spec: { schedule, timeZone } }: CronJob, local: TimeZone): Schedule {
  const zone = timeZone === undefined || schedule.includes("TZ") ? undefined : timeZoneNamed(timeZone);
  return parseSchedule(schedule, zone ?? local);
}

function decideBySchedule(
  cronJob: Stored<CronJob>,
  schedule: Schedule,
  before: readonly Notice[],
  nowMs: number,
): StartPlan {
  const missed = missedSchedules(cronJob, schedule, nowMs, true);
  if (missed.invalid) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : time difference between two schedules is less than 1 second`;
    return none("its schedule never fires", [...before, warning("InvalidSchedule", message)]);
  }
  const wait = (why: string, ...notices: readonly Notice[]): StartPlan => ({
    action: "wait",
    why,
    schedule,
    notices: [...before, ...notices],
  });
  const scheduledMs = missed.latestMs;
  if (scheduledMs === undefined) return wait("there are no unmet start times");
  const tooMany = missed.count === "many" ? [TOO_MANY_MISSED] : [];
  // Too late for the deadline is none of these: what is older than that was not looked for.
  const isDone =
    isActiveByName(cronJob, jobNameFor(cronJob, scheduledMs)) ||
    parseTime(cronJob.status?.lastScheduleTime) === scheduledMs;
  if (isDone) return wait("that time was served already", ...tooMany);
  const busy = (cronJob.status?.active ?? []).length > 0;
  const { concurrencyPolicy } = cronJob.spec;
  if (concurrencyPolicy === "Forbid" && busy)
    return wait("a Job still runs and must not have company", ...tooMany, ALREADY_ACTIVE);
  return {
    action: "start",
    schedule,
    scheduledMs,
    replaces: concurrencyPolicy === "Replace",
    notices: [...before, ...tooMany],
  };
}

const TOO_MANY_MISSED = warning(
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
);
const ALREADY_ACTIVE: Notice = {
  type: "Normal",
  reason: "JobAlreadyActive",
  message: "Not starting job because prior execution is running and concurrency policy is Forbid",
};

function unsupportedNotices({ spec: { schedule } }: CronJob): readonly Notice[] {
  if (!schedule.includes("TZ")) return [];
  const message =
    `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, ` +
    "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
  return [warning("UnsupportedSchedule", message)];
}

function none(why: string, notices: readonly Notice[] = []): StartPlan {
  return { action: "none", why, notices };
}

function warning(reason: string, message: string): Notice {
  return { type: "Warning", reason, message };
}
