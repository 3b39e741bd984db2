import { describe, expect, test } from "vitest";
import { randomBelow, seededRandom } from "../../clock/random.ts";
import { STRESS } from "../../../test/harness/stress.ts";
import { parseField, fieldBounds } from "./fields.ts";
import { goldenTimes } from "./next-time.test-data.ts";
import { randomSchedule } from "./random-schedule.test-data.ts";
import { parseSchedule } from "./schedule.ts";
import { TimeZone } from "./time-zone.ts";

const utc = new TimeZone("UTC");
/** STRESS=1 compares 100,000. */
const CASES = STRESS ? 100_000 : 5_000;
const SEED = 20_260_101;
const FIRST_MS = Date.UTC(1971, 0, 1);
const LAST_MS = Date.UTC(2037, 0, 1);
const DAY_MS = 86_400_000;

const ZONES = [
  "UTC",
  "Europe/Rome",
  "Europe/London",
  "America/New_York",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Africa/Cairo",
];

describe("around changes of the clocks the next time is that of the library", () => {
  test.each(goldenTimes)("%s in %s after %s: %s", (schedule, zone, after, expected) => {
    const found = parseSchedule(schedule, new TimeZone(zone)).next(Date.parse(after));
    expect(found === undefined ? "never" : new TimeZone(zone).format(found)).toBe(expected);
  });
});

const LIMIT = { timeout: STRESS ? 600_000 : 20_000 };
test(
  `${CASES} random schedules fire as a look at each day of the calendar says (seed ${SEED})`,
  LIMIT,
  () => {
    const random = seededRandom(SEED);
    let compared = 0;
    for (let index = 0; index < CASES; index++) {
      const schedule = randomSchedule(random);
      const zone = ZONES[randomBelow(random, ZONES.length)] ?? "UTC";
      const afterMs = FIRST_MS + randomBelow(random, LAST_MS - FIRST_MS);
      const found = parseSchedule(schedule, new TimeZone(zone)).next(afterMs);
      if (!isSteady(zone, afterMs, found ?? afterMs)) continue;
      compared++;
      expect(found, `case ${index}: ${schedule} in ${zone} after ${new Date(afterMs).toISOString()}`).toBe(
        byCalendar(schedule, zone, afterMs),
      );
    }
    expect(compared).toBeGreaterThan(CASES / 3);
  },
);

test("zones of a schedule's own go before the local one", () => {
  const noon = Date.UTC(2026, 0, 1, 12);
  expect(parseSchedule("TZ=Asia/Tokyo 0 0 * * *", utc).next(noon)).toBe(Date.UTC(2026, 0, 1, 15));
  expect(parseSchedule("0 0 * * *", new TimeZone("Asia/Tokyo")).next(noon)).toBe(Date.UTC(2026, 0, 1, 15));
  expect(parseSchedule("TZ=Local 0 0 * * *", utc).next(noon)).toBe(Date.UTC(2026, 0, 2));
});

/** Reads the fields by the same parser, and finds the time by the calendar: no step of the search is shared. */
function byCalendar(schedule: string, zone: string, afterMs: number): number | undefined {
  const [minute = "", hour = "", date = "", month = "", weekday = ""] = schedule.split(" ");
  const sorted = (values: ReadonlySet<number>): readonly number[] => [...values].toSorted((a, b) => a - b);
  const hours = sorted(parseField(hour, fieldBounds.hour).values);
  const minutes = sorted(parseField(minute, fieldBounds.minute).values);
  const months = parseField(month, fieldBounds.month).values;
  const dates = parseField(date, fieldBounds.dayOfMonth);
  const weekdays = parseField(weekday, fieldBounds.dayOfWeek);
  const start = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).toPlainDate();
  const limit = start.add({ years: 6 });
  for (let day = start; Temporal.PlainDate.compare(day, limit) < 0; day = day.add({ days: 1 })) {
    const onDate = dates.values.has(day.day);
    const onWeekday = weekdays.values.has(day.dayOfWeek % 7);
    const onDay = dates.any || weekdays.any ? onDate && onWeekday : onDate || onWeekday;
    if (!months.has(day.month) || !onDay) continue;
    for (const h of hours) {
      for (const m of minutes) {
        const at = day.toZonedDateTime({ timeZone: zone, plainTime: { hour: h, minute: m } });
        if (at.epochMilliseconds > afterMs) return at.epochMilliseconds;
      }
    }
  }
  return undefined;
}

/**
 * The clocks of the zone are not changed between these times, nor a day after, nor in the month before: the search goes
 * back to the beginning of the month, and where that is missing it goes on with the minute that the clocks showed.
 */
function isSteady(zone: string, fromMs: number, toMs: number): boolean {
  const start = Temporal.Instant.fromEpochMilliseconds(fromMs - 32 * DAY_MS).toZonedDateTimeISO(zone);
  const change = start.getTimeZoneTransition("next");
  return change === null || change.epochMilliseconds > toMs + DAY_MS;
}
