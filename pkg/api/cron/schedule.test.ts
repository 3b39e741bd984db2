import { expect, test } from "vitest";
import { parseSchedule, scheduleProblem } from "./schedule.ts";
import { TimeZone, timeZoneNamed, timeZoneProblem } from "./time-zone.ts";

const utc = new TimeZone("UTC");

test.each([
  "* * * * *",
  "*/5 0-23/2 1,15 JAN-dec sun",
  "? ? ? ? ?",
  "5/15 * * * *",
  ", * * * *",
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
  "@every 1h30m",
  "CRON_TZ=UTC 0 0 * * 6",
  "TZ=Europe/Rome   @daily ",
])("%s is a schedule", (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

test.each([
  ["", "empty spec string"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  [
    "9999999999999999999 * * * *",
    'failed to parse int from 9999999999999999999: strconv.Atoi: parsing "9999999999999999999": value out of range',
  ],
  ["* * L * *", 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
  ["@sometimes", "unrecognized descriptor: @sometimes"],
  ["@every", "unrecognized descriptor: @every"],
  ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["TZ=Mars/Olympus * * * * *", "provided bad location Mars/Olympus: unknown time zone Mars/Olympus"],
  ["TZ=UTC", "invalid schedule format: a time zone and nothing else"],
])("%s is none: %s", (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

test.each([
  ["@every 1h30m", "2026-01-01T00:00:00.700Z", "2026-01-01T01:30:00.000Z"],
  ["@every 1500ms", "2026-01-01T00:00:00.700Z", "2026-01-01T00:00:01.000Z"],
  ["@every -1h", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"],
  ["@weekly", "2026-01-01T00:00:00.000Z", "2026-01-04T00:00:00.000Z"],
  ["0 0 1 * 1", "2026-01-02T00:00:00.000Z", "2026-01-05T00:00:00.000Z"],
  ["0 0 13 * 5", "2026-01-10T00:00:00.000Z", "2026-01-13T00:00:00.000Z"],
  ["0 0 */2 * 1", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"],
  ["* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00.000Z"],
  ["59 23 31 2 *", "2026-01-01T00:00:00.000Z", "never"],
  [", * * * *", "2026-01-01T00:00:00.000Z", "never"],
  ["0 0 29 2 *", "2026-01-01T00:00:00.000Z", "2028-02-29T00:00:00.000Z"],
])("%s after %s: %s", (schedule, after, expected) => {
  const next = parseSchedule(schedule, utc).next(Date.parse(after));
  expect(next === undefined ? "never" : new Date(next).toISOString()).toBe(expected);
});

test("a zone that lacks a whole day has no time on it, and the search ends", () => {
  const apia = new TimeZone("Pacific/Apia");
  const next = parseSchedule("0 9 30 * *", apia).next(Date.parse("2011-12-29T08:23:02Z"));
  expect(apia.format(next ?? 0)).toBe("2012-01-30T09:00:00+14:00");
});

test.each([
  ["Europe/Paris", undefined],
  ["UTC", undefined],
  ["", "timeZone must be nil or non-empty string"],
  ["Local", "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"],
  ["Mars/Olympus", "unknown time zone Mars/Olympus"],
  ["europe/paris", "unknown time zone europe/paris"],
  ["+01:00", "unknown time zone +01:00"],
  ["../etc", "unknown time zone ../etc"],
])("time zone %s", (zone, problem) => {
  expect(timeZoneProblem(zone)).toBe(problem);
});

test("no name is UTC, and times are written with the offset of the zone", () => {
  const noon = Date.UTC(2026, 6, 1, 12);
  expect(timeZoneNamed("")?.format(noon)).toBe("2026-07-01T12:00:00Z");
  expect(timeZoneNamed("Asia/Kolkata")?.format(noon)).toBe("2026-07-01T17:30:00+05:30");
  expect(timeZoneNamed("America/St_Johns")?.format(noon)).toBe("2026-07-01T09:30:00-02:30");
});
