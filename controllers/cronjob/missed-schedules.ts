import type { Schedule } from "../../pkg/api/cron/schedule.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CronJob } from "../../pkg/api/types/batch-v1.gen.ts";

export interface Missed {
  /** From when on starts are looked for: the last one, the creation, or the deadline for starting. */
  readonly earliestMs: number;
  /** The latest time at or before now at which a Job should have started. */
  readonly latestMs: number | undefined;
  /** How many starts there were before that one, roughly. "many": more than 100, which hints at wrong clocks. */
  readonly count: "none" | "few" | "many";
  /** The schedule fires never, or twice at once, as on the 31st of February. */
  readonly invalid: boolean;
}

const MANY = 100;
/** Clocks differ a little; a start that is looked at too early would have to wait for the next look. */
const NEXT_LOOK_DELTA_MS = 100;

/**
 * Which starts were missed. However many they are, their number is estimated from the first two, and the last one is
 * searched for from there: a schedule that was not served for ten years costs no more than one of yesterday.
 */
export function missedSchedules(
  cronJob: CronJob,
  schedule: Schedule,
  nowMs: number,
  withDeadline: boolean,
): Missed {
  const earliestMs = earliestStartMs(cronJob, nowMs, withDeadline);
  const none: Missed = { earliestMs, latestMs: undefined, count: "none", invalid: false };
  const firstMs = schedule.next(earliestMs);
  if (firstMs === undefined) return { ...none, invalid: true };
  if (nowMs < firstMs) return none;
  const secondMs = schedule.next(firstMs);
  if (secondMs !== undefined && nowMs < secondMs) return { ...none, latestMs: firstMs };
  const periodSeconds = secondMs === undefined ? 0 : Math.round((secondMs - firstMs) / 1_000);
  if (periodSeconds < 1) return { ...none, invalid: true };

  const number = Math.trunc(Math.trunc((nowMs - firstMs) / 1_000) / periodSeconds) + 1;
  // One period back from the estimate, as periods differ: "30 6-16/4 * * 1-5". Counting whole periods from the first
  // start keeps "@every 1h" at its minute.
  const latestMs = latestStartMs(schedule, firstMs + (number - 2) * periodSeconds * 1_000, nowMs);
  return { ...none, latestMs, count: number > MANY ? "many" : "few" };
}

const STEPS = 8;

/**
 * The last start after `fromMs` and not after now. Evenly spaced ones are a step or two away. Others may be years of
 * minutes away: "* * * 1 *" has its first two eleven months apart when they are the end of a January and the beginning of
 * the next. Then the time after which nothing more starts is found by halving; all but "@every" start at whole minutes.
 */
function latestStartMs(schedule: Schedule, fromMs: number, nowMs: number): number | undefined {
  const startAfter = (ms: number): number | undefined => {
    const nextMs = schedule.next(ms);
    return nextMs !== undefined && nextMs <= nowMs ? nextMs : undefined;
  };
  let latestMs: number | undefined;
  let nextMs = startAfter(fromMs);
  for (let step = 0; nextMs !== undefined && step < STEPS; step++) {
    latestMs = nextMs;
    nextMs = startAfter(nextMs);
  }
  if (nextMs === undefined) return latestMs;
  let foundMs = nextMs;
  let nothingAfterMs = nowMs;
  while (nothingAfterMs - foundMs > 1_000) {
    const halfWayMs = Math.floor((foundMs + nothingAfterMs) / 2);
    const laterMs = startAfter(halfWayMs);
    if (laterMs === undefined) nothingAfterMs = halfWayMs;
    else foundMs = laterMs;
  }
  return foundMs;
}

/** How long until the schedule is to be looked at again; undefined when it fires no more. */
export function untilNextMs(cronJob: CronJob, schedule: Schedule, nowMs: number): number | undefined {
  const { earliestMs, latestMs, count, invalid } = missedSchedules(cronJob, schedule, nowMs, false);
  const nothingMissed = !invalid && count === "none";
  const fromMs = latestMs ?? (nothingMissed ? earliestMs : nowMs);
  const nextMs = schedule.next(fromMs);
  return nextMs === undefined ? undefined : Math.max(0, nextMs + NEXT_LOOK_DELTA_MS - nowMs);
}

function earliestStartMs(cronJob: CronJob, nowMs: number, withDeadline: boolean): number {
  const { metadata, spec, status } = cronJob;
  const sinceMs = parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp) ?? 0;
  if (!withDeadline || spec.startingDeadlineSeconds === undefined) return sinceMs;
  return Math.max(sinceMs, nowMs - Number(spec.startingDeadlineSeconds) * 1_000);
}
