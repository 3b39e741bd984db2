/** metav1.Time and MicroTime at the API's edge: RFC 3339 text there, epoch milliseconds or microseconds inside. */

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

export class TimeError extends Error {
  readonly code = "InvalidTime";
  constructor(text: string) {
    super(`not an RFC 3339 time: ${JSON.stringify(text)}`);
    this.name = "TimeError";
  }
}

/** Epoch milliseconds; undefined for a time that is not set, which is null on the wire or left out. */
export function parseTime(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const plainMs = parsePlain(text);
  if (plainMs !== undefined) return plainMs;
  const { secondMs, micros } = parse(text);
  return secondMs + Math.floor(micros / 1000);
}

/** The one form in which API servers write metav1.Time, "2026-01-31T12:34:56Z", at a tenth of the cost. */
function parsePlain(text: string): number | undefined {
  if (text.length !== 20 || text.charCodeAt(19) !== Z || text.charCodeAt(10) !== T) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return undefined;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // Whatever is not surely right is for the careful one. NaN fails every comparison.
  const isPlain = year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isPlain || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  // A day that the month does not have would have moved on to the next one.
  return day <= 28 || new Date(ms).getUTCDate() === day ? ms : undefined;
}

const [DASH, COLON, T, Z] = [45, 58, 84, 90];

/** Whether it is a time in the one form in which API servers write it. */
export function isPlainTime(text: string): boolean {
  return parsePlain(text) !== undefined;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Epoch microseconds: the precision of MicroTime, which leases and events keep. */
export function parseMicros(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const { secondMs, micros } = parse(text);
  return secondMs * 1000 + micros;
}

/** The epoch milliseconds of the whole second, and the microseconds beyond it. */
function parse(text: string): { readonly secondMs: number; readonly micros: number } {
  const match = rfc3339.exec(text);
  if (match === null) throw new TimeError(text);
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  const localMs = epochMs([year, month, day, hour, minute, second].map(Number));
  // A day or an hour that does not exist would have moved on to the next one.
  const isReal = isoText(localMs).startsWith(text.slice(0, 19));
  if (!isReal || Number(offsetHour ?? 0) > 24 || Number(offsetMinute ?? 0) > 59) throw new TimeError(text);
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  return {
    secondMs: sign === "-" ? localMs + offsetMs : localMs - offsetMs,
    micros: Number((fraction ?? "").slice(0, 6).padEnd(6, "0")),
  };
}

function epochMs([
  year = 0,
  month = 1,
  day = 1,
  hour = 0,
  minute = 0,
  second = 0,
]: readonly number[]): number {
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

/** Whether an API server accepts the text as a MicroTime: it wants exactly six digits. */
export function isMicroTime(text: string): boolean {
  try {
    return parseMicros(text) !== undefined && /[.,]\d{6}(Z|[+-])/.test(text);
  } catch {
    return false;
  }
}

/** metav1.Time: whole seconds. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) latest = { second, text: `${isoText(ms).slice(0, 19)}Z` };
  return latest.text;
}

/** Most of what happens at one time is told at once, and one text is enough for all of it. */
let latest = { second: Number.NaN, text: "" };

/** metav1.MicroTime: exactly six digits, from epoch microseconds. */
export function formatMicros(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const rest = Math.trunc(micros - seconds * 1e6);
  return `${isoText(seconds * 1000).slice(0, 19)}.${rest.toString().padStart(6, "0")}Z`;
}

export function formatMicroTime(ms: number): string {
  return formatMicros(ms * 1000);
}

function isoText(ms: number): string {
  // A fraction of a millisecond before the epoch belongs to the second before.
  return new Date(Math.floor(ms)).toISOString();
}
