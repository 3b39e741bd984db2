import { expect, test } from "vitest";
import { microTimeLayout, parseGoTime, timeLayout } from "./go-time.ts";
import { formatMicros } from "./time.ts";

const layout = '"2006-01-02T15:04:05Z07:00"';

/** upstream: time/format_test.go#parseErrorTests, and what a real API server says. */
test.each([
  ["2006-01-02T15:04:05Z07:00", 'extra text: "07:00"'],
  ["2006-01-02T15:04_abc", `as ${layout}: cannot parse "_abc" as ":"`],
  ["2006-01-02T15:04:05_abc", `as ${layout}: cannot parse "_abc" as "Z07:00"`],
  ["2006-01-02T15:04:05Z_abc", 'extra text: "_abc"'],
  ["2010-02-04T21:00:67.012345678-08:00", "second out of range"],
  ["0000-01-01T00:00:.0+00:00", `as ${layout}: cannot parse ".0+00:00" as "05"`],
  ['"', `as ${layout}: cannot parse "\\"" as "2006"`],
  ["0000-01-01T00:00:00+00:+0", `as ${layout}: cannot parse "+00:+0" as "Z07:00"`],
  ["0000-01-01T00:00:00+-0:00", `as ${layout}: cannot parse "+-0:00" as "Z07:00"`],
  ["2020-01-01T00:00:00+25:00", "time zone offset hour out of range"],
  ["2020-01-01T00:00:00-23:61", "time zone offset minute out of range"],
  ["2020-01-01T00:60:00Z", "minute out of range"],
  ["2020-00-01T00:00:00Z", "month out of range"],
  ["2021-02-29T00:00:00Z", "day out of range"],
  ["2020-01-00T00:00:00Z", "day out of range"],
  ["\u00e9", `as ${layout}: cannot parse "\\xc3\\xa9" as "2006"`],
])("%s is no time", (text, problem) => {
  const said = parseGoTime(text, timeLayout);
  if (typeof said !== "string") throw new Error(`${text} is a time`);
  expect(said).toMatch(/^parsing time "/);
  expect(said.slice(-problem.length)).toBe(problem);
});

test.each([
  ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000000Z"],
  ["2020-01-01T5:00:00Z", "2020-01-01T05:00:00.000000Z"],
  ["2020-01-01T00:00:00,5Z", "2020-01-01T00:00:00.500000Z"],
  ["2020-01-01T00:00:00.1234567Z", "2020-01-01T00:00:00.123456Z"],
  ["2020-01-01T00:00:00+24:60", "2019-12-30T23:00:00.000000Z"],
  ["2020-02-29T12:00:00-01:30", "2020-02-29T13:30:00.000000Z"],
])("%s is %s", (text, micros) => {
  const read = parseGoTime(text, timeLayout);
  expect(typeof read === "string" ? read : formatMicros(read.secondMs * 1000 + read.micros)).toBe(micros);
});

test.each(["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123Z", "2020-01-01T00:00:00.1234567Z"])(
  "%s is no time with six digits",
  (text) => {
    expect(parseGoTime(text, microTimeLayout)).toMatch(/^parsing time/);
  },
);
