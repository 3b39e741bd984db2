import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomSchedule } from "../../pkg/api/cron/random-schedule.test-data.ts";
import { parseSchedule, type Schedule } from "../../pkg/api/cron/schedule.ts";
import { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { type Missed, missedSchedules, untilNextMs } from "./missed-schedules.ts";
import { atMinute, cronJob, text } from "./samples.test-data.ts";

const utc = new TimeZone("UTC");
const DAY = 24 * 60;

interface Case {
  readonly schedule: string;
  readonly created?: number;
  readonly last?: number;
  readonly deadline?: number;
  readonly withDeadline?: boolean;
  readonly now: number;
}

describe("the most recent start", () => {
  // upstream: pkg/controller/cronjob/utils_test.go#TestMostRecentScheduleTime
  test.for<[string, Case, number, number | undefined, Missed["count"]]>([
    ["before the next", { schedule: "0 * * * *", now: 0.5 }, 0, undefined, "none"],
    ["just after the next", { schedule: "0 * * * *", now: 61 }, 0, 60, "none"],
    ["after 5 missed", { schedule: "0 * * * *", created: 1 / 6, now: 301 }, 1 / 6, 300, "few"],
    ["of uneven periods", { schedule: "30 6-16/4 * * 1-5", last: 30, now: DAY + 31 }, 30, DAY + 30, "few"],
    ["on the dot", { schedule: "30 10,11,12 * * 1-5", last: 30, now: 30 * 60 + 30 }, 30, undefined, "few"],
    ["days later", { schedule: "30 6-16/4 * * 1-5", last: 30, now: 4 * DAY + 31 }, 30, 4 * DAY + 30, "few"],
    ["never started", { schedule: "30 6-16/4 * * 1-5", now: DAY + 31 }, 0, DAY + 30, "few"],
    [
      "@every",
      { schedule: "@every 1h", created: -59, last: 1, deadline: 10, now: 7 * DAY },
      1,
      6 * DAY + 23 * 60 + 1,
      "many",
    ],
    ["created and started at once", { schedule: "0 * * * *", last: 0, now: 0.5 }, 0, undefined, "none"],
    ["started before", { schedule: "*/5 * * * *", last: 30, now: 31 }, 30, undefined, "none"],
    [
      "within the deadline",
      { schedule: "*/5 * * * *", last: 30, deadline: 60, now: 31 },
      30,
      undefined,
      "none",
    ],
    [
      "outside of the deadline",
      { schedule: "*/5 * * * *", last: 30, deadline: 60, withDeadline: true, now: 32 },
      31,
      undefined,
      "none",
    ],
  ])("%s", ([, given, earliest, latest, count]) => {
    expect(look(given)).toEqual({
      earliestMs: atMinute(0) + earliest * 60_000,
      latestMs: latest === undefined ? undefined : atMinute(latest),
      count,
      invalid: false,
    });
  });

  // The rogue schedule of the same test.
  test("on a day that does not exist: the schedule is invalid", () => {
    expect(look({ schedule: "59 23 31 2 *", now: 60 }).invalid).toBe(true);
  });

  // upstream: pkg/controller/cronjob/utils_test.go#TestNextScheduleTime
  test.each<[string, Case, number | undefined]>([
    ["not yet needed", { schedule: "0 * * * ?", created: -10, now: -7 }, undefined],
    ["needed for the first time", { schedule: "0 * * * ?", created: -10, now: 1 / 30 }, 0],
    ["done", { schedule: "0 * * * ?", created: -10, last: 0, now: 2 }, undefined],
    ["needed again", { schedule: "0 * * * ?", created: -10, last: 0, now: 65 }, 60],
    ["needed twice", { schedule: "0 * * * ?", created: -120, last: -60, now: 65 }, 60],
    ["far behind", { schedule: "0 * * * ?", created: -120, last: -60, now: 60 + 10 * DAY }, 60 + 10 * DAY],
    [
      "far behind, with a deadline",
      {
        schedule: "0 * * * ?",
        created: -120,
        last: -60,
        deadline: 7200,
        withDeadline: true,
        now: 60 + 10 * DAY,
      },
      60 + 10 * DAY,
    ],
  ])("%s", (_, given, latest) => {
    expect(look({ withDeadline: true, ...given }).latestMs).toBe(
      latest === undefined ? undefined : atMinute(latest),
    );
  });
});

describe("however long nobody looked", () => {
  const YEAR_MS = 365 * DAY * 60_000;

  function counted(schedule: Schedule): { readonly schedule: Schedule; readonly calls: () => number } {
    let calls = 0;
    const next = (afterMs: number): number | undefined => {
      calls++;
      return schedule.next(afterMs);
    };
    return { schedule: { next }, calls: () => calls };
  }

  function missed(
    text_: string,
    lastMs: number,
    nowMs: number,
  ): { readonly found: Missed; readonly calls: number } {
    const { schedule, calls } = counted(parseSchedule(text_, utc));
    const served = cronJob(lastMs, { schedule: text_ }, { lastScheduleTime: text(lastMs) });
    return { found: missedSchedules(served, schedule, nowMs, false), calls: calls() };
  }

  test("every minute of January, seen at the end of one January and two years later", () => {
    const lastMs = Date.UTC(2024, 0, 31, 23, 58);
    const { found, calls } = missed("* * * 1 *", lastMs, Date.UTC(2026, 2, 1));
    expect(found.latestMs).toBe(Date.UTC(2026, 0, 31, 23, 59));
    expect(calls).toBeLessThan(100);
  });

  // Which start is found is what it was when they were looked at one by one.
  test("any schedule: the last start, found in a hundred steps", () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0.001, max: 1, noNaN: true }), (seed, years) => {
        const schedule = randomSchedule(seededRandom(seed));
        const lastMs = Date.UTC(2024, seed % 12, 28, 23, 58);
        const nowMs = lastMs + Math.floor((years * YEAR_MS) / 1_000) * 1_000;
        const { found, calls } = missed(schedule, lastMs, nowMs);
        expect(calls).toBeLessThan(100);
        if (found.latestMs === undefined) return;
        expect(found.latestMs).toBeLessThanOrEqual(nowMs);
        expect(parseSchedule(schedule, utc).next(found.latestMs) ?? Infinity).toBeGreaterThan(nowMs);
        expect(parseSchedule(schedule, utc).next(found.latestMs - 1)).toBe(found.latestMs);
      }),
    );
  });
});

describe("the time to the next look", () => {
  // upstream: pkg/controller/cronjob/utils_test.go#TestNextScheduleTimeDuration
  test.each<[string, Case, number]>([
    ["over a weekend", { schedule: "30 6-16/4 * * 1-5", last: 30, now: DAY + 31 }, 239],
    ["over a weekend, late", { schedule: "30 10,11,12 * * 1-5", last: 30, now: 30 * 60 + 30 }, 66 * 60],
    ["two weeks missed", { schedule: "0 12 * * 4", last: 120, now: 19 * DAY + 90 }, 48 * 60 + 30],
    ["no start before", { schedule: "0 12 * * 5", now: 360 }, 20 * 60],
  ])("%s", (_, given, minutes) => {
    expect(untilNextMs(subject(given), parseSchedule(given.schedule, utc), atMinute(given.now))).toBe(
      minutes * 60_000 + 100,
    );
  });
});

function look(given: Case): Missed {
  const schedule = parseSchedule(given.schedule, utc);
  const nowMs = atMinute(0) + given.now * 60_000;
  return missedSchedules(subject(given), schedule, nowMs, given.withDeadline ?? false);
}

function subject({ schedule, created = 0, last, deadline }: Case): ReturnType<typeof cronJob> {
  return cronJob(
    atMinute(0) + created * 60_000,
    { schedule, ...(deadline !== undefined && { startingDeadlineSeconds: deadline }) },
    last === undefined ? {} : { lastScheduleTime: text(atMinute(last)) },
  );
}
