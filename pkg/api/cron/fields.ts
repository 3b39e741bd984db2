/** One field of a schedule: the values at which it fires. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Any value will do: "*" or "?" is among its ranges. For days that means that the other field of days decides. */
  readonly any: boolean;
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly names: readonly string[];
}

const MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** In the order in which a schedule has them. */
export const fieldBounds = {
  minute: { minimum: 0, maximum: 59, names: [] },
  hour: { minimum: 0, maximum: 23, names: [] },
  dayOfMonth: { minimum: 1, maximum: 31, names: [] },
  month: { minimum: 1, maximum: 12, names: MONTHS },
  dayOfWeek: { minimum: 0, maximum: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
} as const satisfies Readonly<Record<string, Bounds>>;

export class ScheduleError extends Error {
  readonly code = "InvalidSchedule";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ScheduleError";
  }
}

/** Ranges with commas between them. Nothing but commas fires never. */
export function parseField(field: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const range of field.split(",").filter((part) => part !== "")) {
    const { start, end, step, star } = parseRange(range, bounds);
    for (let value = start; value <= end; value += step) values.add(value);
    any ||= star;
  }
  return { values, any };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

/** "*", "5", "1-5", each with "/2" or without. "10/5" starts at 10 and goes on to the end. */
function parseRange(text: string, bounds: Bounds): Range {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const ends = range.split("-");
  const wide = ends[0] === "*" || ends[0] === "?";
  const [start, given] = wide ? [bounds.minimum, bounds.maximum] : parseEnds(ends, text, bounds);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  const end = stepText !== undefined && ends.length === 1 ? bounds.maximum : given;
  if (start < bounds.minimum)
    throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.minimum}): ${text}`);
  if (end > bounds.maximum)
    throw new ScheduleError(`end of range (${end}) above maximum (${bounds.maximum}): ${text}`);
  if (start > end)
    throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  return { start, end, step, star: wide && step === 1 };
}

function parseEnds(ends: readonly string[], text: string, { names }: Bounds): readonly [number, number] {
  const [low = "", high] = ends;
  const start = parseNumber(low, names);
  if (ends.length > 2) throw new ScheduleError(`too many hyphens: ${text}`);
  return [start, high === undefined ? start : parseNumber(high, names)];
}

function parseNumber(text: string, names: readonly string[] = []): number {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  const failed = (why: string): ScheduleError =>
    new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`,
    );
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed("invalid syntax");
  const number = BigInt.asIntN(64, BigInt(text.replace("+", "")));
  if (number !== BigInt(text.replace("+", ""))) throw failed("value out of range");
  if (number < 0n) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return Number(number);
}
