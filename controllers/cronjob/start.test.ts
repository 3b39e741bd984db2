import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { TimeZone } from "../../pkg/api/cron/time-zone.ts";
import type { CronJobSpec } from "../../pkg/api/types/batch-v1.gen.ts";
import { untilNextMs } from "./missed-schedules.ts";
import { atMinute, cronJob, text } from "./samples.test-data.ts";
import { decideStart } from "./start.ts";

const utc = new TimeZone("UTC");
const WEEK = 7 * 24 * 60;
const SHORT = 10;
const MEDIUM = 2 * 60 * 60;
const LONG = 1_000_000;
const HOURLY: Partial<CronJobSpec> = { schedule: "@every 1h" };
const BEFORE = -1;
const AFTER = 1;

type Policy = "Allow" | "Forbid" | "Replace";
const policies: readonly Policy[] = ["Allow", "Forbid", "Replace"];

interface Case {
  readonly created?: number;
  readonly last?: number;
  /** A Job runs, of this minute. */
  readonly running?: number;
  readonly now: number;
  readonly seconds?: number;
  readonly spec?: Partial<CronJobSpec>;
}

// upstream: pkg/controller/cronjob/cronjob_controllerv2_test.go#TestControllerV2SyncCronJob: what is decided there.
// Outcomes: what happens, the reasons of the notices, and the minutes until the next look.
describe("never run before", () => {
  test.each<[string, Case, string]>([
    [
      "a schedule that cannot be read",
      { now: BEFORE, spec: { schedule: "obvious error" } },
      "none UnparseableSchedule",
    ],
    [
      "a zone that does not exist",
      { now: BEFORE, spec: { timeZone: "bad timezone" } },
      "none UnknownTimeZone",
    ],
    ["not time", { now: BEFORE }, "wait 1"],
    ["not time in its zone", { now: BEFORE, spec: { timeZone: "America/New_York" } }, "wait 1"],
    ["time", { now: AFTER }, "start 0"],
    ["time in its zone", { now: AFTER, spec: { timeZone: "America/New_York" } }, "start 0"],
    [
      "time, with a zone in the schedule",
      { now: AFTER, spec: { timeZone: "America/New_York", schedule: "TZ=UTC 0 * * * ?" } },
      "start 0 UnsupportedSchedule",
    ],
    ["time, suspended", { now: AFTER, spec: { suspend: true } }, "none"],
    ["too late", { now: 12, spec: { startingDeadlineSeconds: SHORT } }, "wait 48"],
    ["time, not too late", { now: AFTER, spec: { startingDeadlineSeconds: LONG } }, "start 0"],
    ["an impossible day", { now: AFTER, spec: { schedule: "59 23 31 2 *" } }, "none InvalidSchedule"],
    ["@every, not time", { now: 0, spec: { schedule: "@every 1h" } }, "wait 59"],
    ["@every, time", { created: -61, now: BEFORE, spec: { schedule: "@every 1h" } }, "start -1"],
    [
      "@every, too late",
      { created: -61, now: -1, seconds: 11, spec: { ...HOURLY, startingDeadlineSeconds: SHORT } },
      `wait ${minutes(60 - 11 / 60)}`,
    ],
    [
      "@every, not too late",
      { created: -61, now: -1, seconds: 9, spec: { ...HOURLY, startingDeadlineSeconds: LONG } },
      "start -1",
    ],
  ])("%s", (_, given, expected) => {
    for (const concurrencyPolicy of policies) {
      const spec = { ...given.spec, concurrencyPolicy };
      expect(outcome({ created: BEFORE, ...given, spec })).toBe(expected);
    }
  });
});

describe("run before, and done", () => {
  const done: Partial<Case> = { created: -61, last: -59 };
  test.each<[string, Case, string]>([
    ["not time", { now: BEFORE }, "wait 1"],
    ["time", { now: AFTER }, "start 0"],
    ["time, suspended", { now: AFTER, spec: { suspend: true } }, "none"],
    ["too late", { now: AFTER, spec: { startingDeadlineSeconds: SHORT } }, "wait 59"],
    ["not too late", { now: AFTER, spec: { startingDeadlineSeconds: LONG } }, "start 0"],
    ["a week late", { now: WEEK }, `start ${WEEK} TooManyMissedTimes`],
    [
      "a week late, with a long deadline",
      { now: WEEK, spec: { startingDeadlineSeconds: LONG } },
      `start ${WEEK} TooManyMissedTimes`,
    ],
    [
      "a week late, with a medium deadline",
      { now: WEEK, spec: { startingDeadlineSeconds: MEDIUM } },
      `start ${WEEK}`,
    ],
    [
      "a week late, with a short deadline",
      { now: WEEK, spec: { startingDeadlineSeconds: SHORT } },
      `start ${WEEK}`,
    ],
    ["@every, not time", { last: -1, now: 0, spec: { schedule: "@every 1h" } }, "wait 59"],
    ["@every, time", { last: -1, now: 60, spec: { schedule: "@every 1h" } }, "start 59"],
    [
      "@every, a week late",
      { created: -59, last: 1, now: WEEK, spec: { schedule: "@every 1h" } },
      `start ${WEEK - 59} TooManyMissedTimes`,
    ],
    [
      "@every, too late",
      { last: -1, now: 59, seconds: 11, spec: { ...HOURLY, startingDeadlineSeconds: SHORT } },
      `wait ${minutes(60 - 11 / 60)}`,
    ],
    [
      "@every, a week late and too late",
      {
        created: -59,
        last: 1,
        now: WEEK + 1,
        seconds: 11,
        spec: { ...HOURLY, startingDeadlineSeconds: SHORT },
      },
      `wait ${minutes(60 - 11 / 60)}`,
    ],
    ["the clock went back", { last: 0, now: BEFORE }, "wait 61"],
  ])("%s", (_, given, expected) => {
    for (const concurrencyPolicy of policies) {
      const spec = { ...given.spec, concurrencyPolicy };
      expect(outcome({ ...done, ...given, spec })).toBe(expected);
    }
  });
});

describe("still running", () => {
  const active: Case = { created: -61, last: -59, running: -59, now: AFTER };
  test.each<[string, Partial<Case>, Readonly<Record<Policy, string>>]>([
    ["not time", { now: BEFORE }, all("wait 1")],
    ["time", {}, { Allow: "start 0", Forbid: "wait 59 JobAlreadyActive", Replace: "start 0 replacing" }],
    ["time, suspended", { spec: { suspend: true } }, all("none")],
    ["too late", { spec: { startingDeadlineSeconds: SHORT } }, all("wait 59")],
    ["the Job of this very minute", { running: 0 }, all("wait 59")],
    ["@every, not time", { last: -1, running: -1, now: 0, spec: HOURLY }, all("wait 59")],
    [
      "@every, time",
      { last: -61, running: -61, spec: HOURLY },
      { Allow: "start -1", Forbid: "wait 58 JobAlreadyActive", Replace: "start -1 replacing" },
    ],
    [
      "@every, too late",
      { last: -1, running: -1, now: 59, seconds: 11, spec: { ...HOURLY, startingDeadlineSeconds: SHORT } },
      all(`wait ${minutes(60 - 11 / 60)}`),
    ],
    [
      "@every, not too late",
      { last: -1, running: -1, now: 59, seconds: 9, spec: { ...HOURLY, startingDeadlineSeconds: LONG } },
      {
        Allow: "start 59",
        Forbid: `wait ${minutes(60 - 9 / 60)} JobAlreadyActive`,
        Replace: "start 59 replacing",
      },
    ],
    [
      "not too late",
      { spec: { startingDeadlineSeconds: LONG } },
      { Allow: "start 0", Forbid: "wait 59 JobAlreadyActive", Replace: "start 0 replacing" },
    ],
  ])("%s", (_, given, expected) => {
    for (const concurrencyPolicy of policies) {
      const spec = { ...given.spec, concurrencyPolicy };
      expect(outcome({ ...active, ...given, spec })).toBe(expected[concurrencyPolicy]);
    }
  });
});

/** To the second. */
function minutes(value: number): string {
  return `${Number(value.toFixed(3))}`;
}

function all(outcomes: string): Readonly<Record<Policy, string>> {
  return { Allow: outcomes, Forbid: outcomes, Replace: outcomes };
}

function outcome({ created = BEFORE, last, running, now, seconds = 0, spec = {} }: Case): string {
  const nowMs = atMinute(now, seconds);
  const name = `mycronjob-${atMinute(running ?? 0) / 60_000}`;
  const subject = cronJob(atMinute(created), spec, {
    ...(last !== undefined && { lastScheduleTime: text(atMinute(last)) }),
    ...(running !== undefined && { active: [{ name, namespace: "default", uid: "1234" }] }),
  });
  const plan = decideStart(asStored(subject), utc, nowMs);
  const reasons = plan.notices.map(({ reason }) => reason);
  if (plan.action === "none") return [plan.action, ...reasons].join(" ");
  if (plan.action === "wait") {
    const waitMs = untilNextMs(subject, plan.schedule, nowMs) ?? 0;
    return [plan.action, minutes((waitMs - 100) / 60_000), ...reasons].join(" ");
  }
  const minute = (plan.scheduledMs - atMinute(0)) / 60_000;
  const replacing = plan.replaces && running !== undefined ? ["replacing"] : [];
  return [plan.action, minute, ...reasons, ...replacing].join(" ");
}
