import { DurationError, parseDurationNs } from "../duration.ts";
import { fieldBounds, parseField, ScheduleError } from "./fields.ts";
import { type CronFields, nextTime } from "./next-time.ts";
import { TimeZone, timeZoneNamed } from "./time-zone.ts";

/** Times at which something is to happen again and again. */
export interface Schedule {
  /** The first time after this one; undefined when there is none within five years, as on the 31st of February. */
  next(afterMs: number): number | undefined;
}

const descriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const EVERY = "@every ";

/**
 * Reads what Kubernetes takes for a schedule: five fields, a descriptor ("@daily"), or "@every 1h30m", each with
 * "CRON_TZ=Europe/Rome " or "TZ=Europe/Rome " before it or without. Without, the clocks of `local` count. Throws a
 * ScheduleError. upstream: vendor/github.com/robfig/cron/v3/parser.go#Parse
 */
export function parseSchedule(text: string, local: TimeZone): Schedule {
  if (text === "") throw new ScheduleError("empty spec string");
  const { zone = local, rest } = splitZone(text);
  if (rest.startsWith(EVERY)) return every(rest);
  const fields = parseFields(rest.startsWith("@") ? expand(rest) : rest);
  return { next: (afterMs) => nextTime(fields, zone, afterMs) };
}

/** What is wrong with a schedule; undefined when nothing is. */
export function scheduleProblem(text: string): string | undefined {
  try {
    parseSchedule(text, new TimeZone("UTC"));
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function splitZone(text: string): { readonly zone?: TimeZone; readonly rest: string } {
  const [prefix] = /^(CRON_)?TZ=/.exec(text) ?? [];
  if (prefix === undefined) return { rest: text };
  const space = text.indexOf(" ");
  if (space < 0) throw new ScheduleError("invalid schedule format: a time zone and nothing else");
  const name = text.slice(prefix.length, space);
  const rest = text.slice(space).trim();
  if (name === "Local") return { rest };
  const zone = timeZoneNamed(name);
  if (zone === undefined) throw new ScheduleError(`provided bad location ${name}: unknown time zone ${name}`);
  return { zone, rest };
}

function parseFields(text: string): CronFields {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== 5)
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = parts;
  return {
    minute: parseField(minute, fieldBounds.minute),
    hour: parseField(hour, fieldBounds.hour),
    dayOfMonth: parseField(dayOfMonth, fieldBounds.dayOfMonth),
    month: parseField(month, fieldBounds.month),
    dayOfWeek: parseField(dayOfWeek, fieldBounds.dayOfWeek),
  };
}

function expand(descriptor: string): string {
  const expanded = descriptors.get(descriptor);
  if (expanded === undefined) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  return expanded;
}

/** At least a second, and whole ones: "@every 1500ms" is each second. It counts from whole seconds, too. */
function every(descriptor: string): Schedule {
  try {
    const seconds = Math.max(1, Math.trunc(Number(parseDurationNs(descriptor.slice(EVERY.length))) / 1e9));
    return { next: (afterMs) => (Math.floor(afterMs / 1_000) + seconds) * 1_000 };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new ScheduleError(`failed to parse duration ${descriptor}: ${error.message}`, { cause: error });
  }
}
