import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatMicroTime,
  formatMicros,
  formatTime,
  isMicroTime,
  isPlainTime,
  parseMicros,
  parseTime,
} from "./time.ts";

describe("parseTime", () => {
  test.each<[string, number]>([
    ["1970-01-01T00:00:00Z", 0],
    ["2026-11-18T11:40:18Z", Date.UTC(2026, 10, 18, 11, 40, 18)],
    ["2026-01-02T03:04:05+01:30", Date.UTC(2026, 0, 2, 1, 34, 5)],
    ["2026-01-02T03:04:05-00:30", Date.UTC(2026, 0, 2, 3, 34, 5)],
    ["2026-01-02T03:04:05.123456789Z", Date.UTC(2026, 0, 2, 3, 4, 5, 123)],
    ["1969-12-31T23:59:59.5Z", -500],
    ["9999-12-31T23:59:59.999Z", 253_402_300_799_999],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000],
  ])("%s", (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test.each([null, undefined])("a time that is not set (%s) has no value", (text) => {
    expect(parseTime(text)).toBeUndefined();
    expect(parseMicros(text)).toBeUndefined();
  });

  test.each([
    "",
    "2026-01-02",
    "2026-01-02 03:04:05Z",
    "2026-01-02T03:04:05",
    "2026-13-02T03:04:05Z",
    "2026-02-30T03:04:05Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:05Z",
    "2026-01-02T03:04:60Z",
    "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05+25:00",
    "2026-01-02T03:04:05Z\n",
  ])("refuses %j", (text) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ code: "InvalidTime" }));
  });
});

describe("micro times", () => {
  test("keep microseconds", () => {
    expect(parseMicros("2026-01-02T03:04:05.000001Z")).toBe(Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 1);
    expect(formatMicros(Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 1)).toBe("2026-01-02T03:04:05.000001Z");
    expect(formatMicros(-1)).toBe("1969-12-31T23:59:59.999999Z");
    expect(formatMicroTime(1500)).toBe("1970-01-01T00:00:01.500000Z");
  });

  test.each([
    ["2026-01-02T03:04:05.000000Z", true],
    ["2026-01-02T03:04:05.123456+02:00", true],
    ["2026-01-02T03:04:05Z", false],
    ["2026-01-02T03:04:05.123Z", false],
    ["2026-01-02T03:04:05.1234567Z", false],
    ["2026-02-30T03:04:05.123456Z", false],
    ["tomorrow", false],
  ])("%s is a MicroTime: %s", (text, valid) => {
    expect(isMicroTime(text)).toBe(valid);
  });
});

test("times are written in whole seconds, rounded down", () => {
  expect(formatTime(1999)).toBe("1970-01-01T00:00:01Z");
  expect(formatTime(-1)).toBe("1969-12-31T23:59:59Z");
  expect(formatTime(0.5)).toBe("1970-01-01T00:00:00Z");
});

test("what is written is read back", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
      expect(parseTime(formatTime(seconds * 1000))).toBe(seconds * 1000);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (micros) => {
      expect(parseMicros(formatMicros(micros))).toBe(micros);
      expect(isMicroTime(formatMicros(micros))).toBe(true);
    }),
  );
});

test.each([
  ["2026-11-18T11:40:18Z", true],
  ["2024-02-29T23:59:59Z", true],
  ["2026-02-29T00:00:00Z", false],
  ["2026-11-18T24:00:00Z", false],
  ["2026-11-18T11:60:18Z", false],
  ["2026-11-18T11:40:60Z", false],
  ["2026-13-18T11:40:18Z", false],
  ["2026-00-18T11:40:18Z", false],
  ["2026-11-00T11:40:18Z", false],
  ["2026-1a-18T11:40:18Z", false],
  ["2026-11-18 11:40:18Z", false],
  ["2026-11-18T11:40:18z", false],
  ["2026-11-18T11:40:18.5Z", false],
  ["2026-11-18T11:40:18+00:00", false],
])("whether %s is as API servers write it", (text, expected) => {
  expect(isPlainTime(text)).toBe(expected);
});
