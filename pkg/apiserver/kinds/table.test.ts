import { expect, test } from "vitest";
import { shortDuration, since } from "./table.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

// upstream: apimachinery/pkg/util/duration#HumanDuration
test.each([
  [-2 * SECOND, "<invalid>"],
  [-1 * SECOND, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [999, "0s"],
  [SECOND, "1s"],
  [2 * MINUTE - 1, "119s"],
  [2 * MINUTE, "2m"],
  [2 * MINUTE + SECOND, "2m1s"],
  [10 * MINUTE - SECOND, "9m59s"],
  [10 * MINUTE, "10m"],
  [10 * MINUTE + SECOND, "10m"],
  [3 * HOUR - MINUTE, "179m"],
  [3 * HOUR, "3h"],
  [3 * HOUR + MINUTE, "3h1m"],
  [8 * HOUR - MINUTE, "7h59m"],
  [8 * HOUR, "8h"],
  [8 * HOUR + MINUTE, "8h"],
  [48 * HOUR - MINUTE, "47h"],
  [48 * HOUR, "2d"],
  [49 * HOUR, "2d1h"],
  [8 * DAY - HOUR, "7d23h"],
  [8 * DAY, "8d"],
  [8 * DAY + HOUR, "8d"],
  [2 * YEAR - DAY, "729d"],
  [2 * YEAR, "2y"],
  [2 * YEAR + DAY, "2y1d"],
  [8 * YEAR - DAY, "7y364d"],
  [8 * YEAR, "8y"],
  [8 * YEAR + DAY, "8y"],
])("%i ms are %s", (durationMs, expected) => {
  expect(shortDuration(durationMs)).toBe(expected);
});

test("how long ago is known of times alone", () => {
  expect(since("2026-01-01T00:00:00Z", Date.parse("2026-01-01T00:05:10Z"))).toBe("5m10s");
  expect(since("", 0)).toBe("<unknown>");
});
