import { expect, test } from "vitest";
import { TimeZone, timeZoneNamed } from "./time-zone.ts";

const HOUR_MS = 3_600_000;

test("in all zones clocks show what Temporal says, and change when it says so", () => {
  const names = [...Intl.supportedValuesOf("timeZone"), "GB-Eire", "Asia/Calcutta"];
  for (const name of names) {
    const zone = new TimeZone(name);
    let local = Temporal.Instant.fromEpochMilliseconds(Date.UTC(2008, 0)).toZonedDateTimeISO(name);
    const expectOffset = (at: Temporal.ZonedDateTime): void => {
      const offsetMs = at.offsetNanoseconds / 1e6;
      expect(zone.offsetMs(at.epochMilliseconds), `${name} at ${at.toString()}`).toBe(offsetMs);
    };
    // The changes, the moments before them, and whatever is near.
    for (let change = 0; change < 12; change++) {
      const next = local.getTimeZoneTransition("next");
      if (next === null) break;
      for (const hours of [-30 * 24, -25, -1, 0, 1, 25]) expectOffset(next.add({ hours }));
      expectOffset(next.subtract({ milliseconds: 1 }));
      local = next;
    }
  }
}, 120_000);

test("a time that was never in a zone of hours has its seconds", () => {
  expect(new TimeZone("Europe/Berlin").offsetMs(Date.UTC(1880, 0))).toBe((53 * 60 + 28) * 1_000);
  expect(new TimeZone("America/New_York").offsetMs(Date.UTC(1880, 0))).toBe(
    -(4 * HOUR_MS + 56 * 60_000 + 2_000),
  );
});

test.each([
  "UTC",
  "Etc/UTC",
  "GMT",
  "GB-Eire",
  "Asia/Calcutta",
  "US/Pacific",
  "Europe/Rome",
  "America/Port-au-Prince",
  "Zulu",
  "Etc/GMT+1",
])("%s is a zone", (name) => {
  expect(timeZoneNamed(name)?.name).toBe(name);
});

test.each([
  "utc",
  "gmt",
  "Gmt",
  "gb-eire",
  "GB-EIRE",
  "us/pacific",
  "US/pacific",
  "europe/rome",
  "Europe/ROME",
  "+01:00",
  "Mars/Base",
])("%s is none", (name) => {
  expect(timeZoneNamed(name)).toBeUndefined();
});
