import { expect, test } from "vitest";
import { scheduleProblem, timeZoneProblem } from "./cron-schedule.ts";

test.each([
  "* * * * *",
  "*/5 0-23/2 1,15 JAN-dec sun",
  "? ? ? ? ?",
  "@yearly",
  "@every 1h",
  "CRON_TZ=UTC 0 0 * * 6",
])("%s is a schedule", (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

test.each([
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["@sometimes", "unrecognized descriptor: @sometimes"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
])("%s is none: %s", (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

test.each([
  ["Europe/Paris", undefined],
  ["UTC", undefined],
  ["", "timeZone must be nil or non-empty string"],
  ["Local", "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"],
  ["Mars/Olympus", "unknown time zone Mars/Olympus"],
  ["../etc", "unknown time zone ../etc"],
])("time zone %s", (zone, problem) => {
  expect(timeZoneProblem(zone)).toBe(problem);
});
