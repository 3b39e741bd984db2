import type { CronField } from "./fields.ts";
import type { TimeZone } from "./time-zone.ts";

/** When a schedule fires, to the minute. */
export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const SEARCH_YEARS = 5;

/** The first time after `afterMs` at which the schedule fires; undefined when there is none within five years. */
export function nextTime(fields: CronFields, zone: TimeZone, afterMs: number): number | undefined {
  if ([fields.minute, fields.hour, fields.month].some(({ values }) => values.size === 0)) return undefined;
  return new Search(fields, zone, afterMs).find();
}

/**
 * Goes forward field by field, the greatest first; when a field wraps around, those above it are looked at again. It
 * moves in real time and reads the clocks at each stop, so that it does around changes of the clocks just what the
 * library of Kubernetes does: a time in the gap of spring is not met, a time in the hour that autumn repeats is met
 * twice, and where the gap is at midnight a day may begin at one.
 * upstream: vendor/github.com/robfig/cron/v3/spec.go#Next
 */
class Search {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;
  #nowMs: number;
  /** Once one field was moved, the lesser ones start at their beginning. */
  #moved = false;

  constructor(fields: CronFields, zone: TimeZone, afterMs: number) {
    this.#fields = fields;
    this.#zone = zone;
    this.#nowMs = (Math.floor(afterMs / SECOND_MS) + 1) * SECOND_MS;
  }

  find(): number | undefined {
    const lastYear = this.#clocks().getUTCFullYear() + SEARCH_YEARS;
    while (this.#clocks().getUTCFullYear() <= lastYear) {
      if (this.#toMonth() && this.#toDay() && this.#toHour() && this.#toMinute() && this.#toSecond())
        return this.#nowMs;
    }
    return undefined;
  }

  /** Each of these goes to the next value that fires; false when it came around to the first value on the way. */
  #toMonth(): boolean {
    while (!this.#fields.month.values.has(this.#clocks().getUTCMonth() + 1)) {
      this.#startOf((clocks) => Date.UTC(clocks.getUTCFullYear(), clocks.getUTCMonth(), 1));
      this.#moveDate(1, 0);
      if (this.#clocks().getUTCMonth() === 0) return false;
    }
    return true;
  }

  #toDay(): boolean {
    while (!this.#firesOnDay()) {
      this.#startOf((clocks) => clocks.getTime() - modulo(clocks.getTime(), 24 * HOUR_MS));
      const beforeMs = this.#nowMs;
      this.#moveDate(0, 1);
      // A change of the clocks at midnight has led to the hour before or after.
      const hour = this.#clocks().getUTCHours();
      this.#nowMs += (hour > 12 ? 24 - hour : -hour) * HOUR_MS;
      // A place that moved across the date line lacks a whole day (Apia, 2011-12-30); there the library never ends.
      if (this.#nowMs <= beforeMs) this.#nowMs = beforeMs + 24 * HOUR_MS;
      if (this.#clocks().getUTCDate() === 1) return false;
    }
    return true;
  }

  #toHour(): boolean {
    while (!this.#fields.hour.values.has(this.#clocks().getUTCHours())) {
      this.#startOf((clocks) => clocks.getTime() - modulo(clocks.getTime(), HOUR_MS));
      this.#nowMs += HOUR_MS;
      if (this.#clocks().getUTCHours() === 0) return false;
    }
    return true;
  }

  #toMinute(): boolean {
    while (!this.#fields.minute.values.has(this.#clocks().getUTCMinutes())) {
      if (!this.#moved) this.#nowMs -= modulo(this.#nowMs, MINUTE_MS);
      this.#moved = true;
      this.#nowMs += MINUTE_MS;
      if (this.#clocks().getUTCMinutes() === 0) return false;
    }
    return true;
  }

  #toSecond(): boolean {
    const start = this.#nowMs;
    while (this.#clocks().getUTCSeconds() !== 0) this.#nowMs += SECOND_MS;
    this.#moved ||= this.#nowMs > start;
    return this.#nowMs === start;
  }

  /** With both fields of days restricted either will do; otherwise the one that is restricted decides. */
  #firesOnDay(): boolean {
    const { dayOfMonth, dayOfWeek } = this.#fields;
    const clocks = this.#clocks();
    const byDate = dayOfMonth.values.has(clocks.getUTCDate());
    const byWeekday = dayOfWeek.values.has(clocks.getUTCDay());
    return dayOfMonth.any || dayOfWeek.any ? byDate && byWeekday : byDate || byWeekday;
  }

  /** What the clocks show, to be read as UTC. */
  #clocks(): Date {
    return new Date(this.#zone.wallMs(this.#nowMs));
  }

  #startOf(wallMs: (clocks: Date) => number): void {
    if (this.#moved) return;
    this.#moved = true;
    this.#nowMs = this.#zone.epochMs(wallMs(this.#clocks()));
  }

  #moveDate(months: number, days: number): void {
    const wall = this.#clocks();
    wall.setUTCMonth(wall.getUTCMonth() + months, wall.getUTCDate() + days);
    this.#nowMs = this.#zone.epochMs(wall.getTime());
  }
}

/** Never below 0, also for times before the epoch. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
