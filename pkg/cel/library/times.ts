// What a time or a duration consists of.

import { floorDivide } from "../conversions.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { Duration, EvaluationError, type Timestamp } from "../values.ts";
import { asInstance, asText, asTimestamp } from "./arguments.ts";

const perMilli = 1_000_000n;
const dayMs = 86_400_000;

/** A date whose UTC fields are the local time of a zone. */
function localDate({ nanos }: Timestamp, zone: string): Date {
  const ms = Number(floorDivide(nanos, perMilli));
  return new Date(ms + offsetMs(ms, zone));
}

function offsetMs(ms: number, zone: string): number {
  const colon = zone.indexOf(":");
  if (colon === -1) return offsetOfNamed(ms, zone);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map((part) => {
    if (!/^[+-]?[0-9]+$/.test(part))
      throw new EvaluationError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
    return Number(part);
  });
  return ((hours ?? 0) * 60 + (zone.startsWith("-") ? -1 : 1) * (minutes ?? 0)) * 60_000;
}

function offsetOfNamed(ms: number, zone: string): number {
  if (zone === "" || zone === "UTC") return 0;
  try {
    const parts = formatOf(zone).formatToParts(ms);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const found = /^GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)/.exec(name)?.groups;
    if (found === undefined) return 0;
    const minutes = Number(found["hours"]) * 60 + Number(found["minutes"]);
    return (found["sign"] === "-" ? -minutes : minutes) * 60_000;
  } catch (error) {
    throw new EvaluationError(`unknown time zone ${zone}`, { cause: error });
  }
}

/** There are a few hundred zones, and each format is as large as a document. */
const MOST_FORMATS = 50;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - new Date(date.getTime()).setUTCMonth(0, 1)) / dayMs);

const parts: readonly (readonly [name: string, id: string, part: (date: Date) => number])[] = [
  ["getFullYear", "year", (date) => date.getUTCFullYear()],
  ["getMonth", "month", (date) => date.getUTCMonth()],
  ["getDayOfYear", "day_of_year", dayOfYear],
  ["getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1],
  ["getDate", "day_of_month_1_based", (date) => date.getUTCDate()],
  ["getDayOfWeek", "day_of_week", (date) => date.getUTCDay()],
  ["getHours", "hours", (date) => date.getUTCHours()],
  ["getMinutes", "minutes", (date) => date.getUTCMinutes()],
  ["getSeconds", "seconds", (date) => date.getUTCSeconds()],
  ["getMilliseconds", "milliseconds", (date) => date.getUTCMilliseconds()],
];

const ofDurations: readonly (readonly [name: string, id: string, unit: bigint])[] = [
  ["getHours", "hours", 3_600_000n],
  ["getMinutes", "minutes", 60_000n],
  ["getSeconds", "seconds", 1000n],
  ["getMilliseconds", "milliseconds", 1n],
];

export const timeOverloads: readonly FunctionOverload[] = [
  ...parts.flatMap(([name, id, part]) => [
    overload(`timestamp_to_${id}`, `(timestamp).${name}(): int`, (time) =>
      BigInt(part(localDate(asTimestamp(time), "UTC"))),
    ),
    overload(
      `timestamp_to_${id}${id === "seconds" ? "_tz" : "_with_tz"}`,
      `(timestamp).${name}(string): int`,
      (time, zone) => BigInt(part(localDate(asTimestamp(time), asText(zone)))),
    ),
  ]),
  ...ofDurations.map(([name, id, unit]) =>
    overload(
      `duration_to_${id}`,
      `(duration).${name}(): int`,
      (value) => asInstance(value, Duration).nanos / (unit * perMilli),
    ),
  ),
];
