import { DurationError, parseDurationNs } from "../../../api/duration.ts";

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly names: readonly string[];
}

const fields: readonly Bounds[] = [
  { minimum: 0, maximum: 59, names: [] },
  { minimum: 0, maximum: 23, names: [] },
  { minimum: 1, maximum: 31, names: [] },
  {
    minimum: 1,
    maximum: 12,
    names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { minimum: 0, maximum: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const descriptors = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** What is wrong with a cron schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  const withoutZone = schedule.replace(/^(CRON_)?TZ=\S*\s*/, "").trim();
  if (withoutZone.startsWith("@")) return descriptorProblem(withoutZone);
  const parts = withoutZone.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [index, bounds] of fields.entries()) {
    const problem = fieldProblem(parts[index] ?? "", bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (descriptors.has(descriptor)) return undefined;
  const every = "@every ";
  if (!descriptor.startsWith(every)) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseDurationNs(descriptor.slice(every.length));
    return undefined;
  } catch (error) {
    if (error instanceof DurationError) return `failed to parse duration ${descriptor}: ${error.message}`;
    throw error;
  }
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const expression of field.split(",").filter((part) => part !== "")) {
    const problem = rangeProblem(expression, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function rangeProblem(expression: string, bounds: Bounds): string | undefined {
  const [range = "", stepText, ...moreSteps] = expression.split("/");
  const [low = "", high, ...moreEnds] = range.split("-");
  let { minimum: start, maximum: end } = bounds;
  if (low !== "*" && low !== "?") {
    const first = numberOf(low, bounds.names);
    if (typeof first === "string") return first;
    if (moreEnds.length > 0) return `too many hyphens: ${expression}`;
    const last = high === undefined ? first : numberOf(high, bounds.names);
    if (typeof last === "string") return last;
    start = first;
    end = last;
  }
  if (moreSteps.length > 0) return `too many slashes: ${expression}`;
  let step = 1;
  if (stepText !== undefined) {
    const parsed = numberOf(stepText, []);
    if (typeof parsed === "string") return parsed;
    step = parsed;
    // "10/5" starts at 10 and goes on to the end.
    if (high === undefined) end = bounds.maximum;
  }
  if (start < bounds.minimum) {
    return `beginning of range (${start}) below minimum (${bounds.minimum}): ${expression}`;
  }
  if (end > bounds.maximum) return `end of range (${end}) above maximum (${bounds.maximum}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

/** The number, or what is wrong with it. */
function numberOf(value: string, names: readonly string[]): number | string {
  const named = value === "" ? -1 : names.indexOf(value.toLowerCase());
  if (named >= 0) return named;
  if (!/^[+-]?[0-9]+$/.test(value)) {
    return `failed to parse int from ${value}: strconv.Atoi: parsing ${JSON.stringify(value)}: invalid syntax`;
  }
  const parsed = Number(value);
  return parsed < 0 ? `negative number (${parsed}) not allowed: ${value}` : parsed;
}

/** What is wrong with a time zone's name; undefined when it can be used. */
export function timeZoneProblem(timeZone: string): string | undefined {
  if (timeZone === "") return "timeZone must be nil or non-empty string";
  const isNamed = timeZone
    .split("/")
    .every((part) => part !== "." && part !== ".." && /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/.test(part));
  if (!isNamed) return `unknown time zone ${timeZone}`;
  if (timeZone.toLowerCase() === "local") {
    return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  }
  try {
    Intl.DateTimeFormat("en", { timeZone }).resolvedOptions();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `unknown time zone ${timeZone}`;
    throw error;
  }
}
