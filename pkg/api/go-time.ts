/**
 * Times as Go's time.Parse reads them, which takes more than RFC 3339 (hours of one digit, a comma before the fraction)
 * and says in its own words what is wrong with the rest. upstream: time/format.go#parse
 */
export type GoLayout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

export const timeLayout: GoLayout = "2006-01-02T15:04:05Z07:00";
export const microTimeLayout: GoLayout = "2006-01-02T15:04:05.000000Z07:00";

export interface GoTime {
  /** Milliseconds from the epoch to the second. */
  readonly secondMs: number;
  readonly micros: number;
}

/** The time, or what Go says of a text that is none. */
export function parseGoTime(text: string, layout: GoLayout): GoTime | string {
  try {
    return new TimeReader(text, layout).read();
  } catch (error) {
    if (error instanceof Misread) return error.message;
    throw error;
  }
}

class Misread extends Error {}

class TimeReader {
  readonly #text: string;
  readonly #layout: GoLayout;
  #rest: string;

  constructor(text: string, layout: GoLayout) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(): GoTime {
    const year = this.#year();
    this.#skip("-");
    const month = this.#number("01", 2, [1, 12, "month"]);
    this.#skip("-");
    const day = this.#number("02", 2);
    this.#skip("T");
    const hour = this.#number("15", 1, [0, 23, "hour"]);
    this.#skip(":");
    const minute = this.#number("04", 2, [0, 59, "minute"]);
    this.#skip(":");
    const second = this.#number("05", 2, [0, 59, "second"]);
    const micros = this.#layout === timeLayout ? this.#anyFraction() : this.#sixDigits();
    const offsetMs = this.#zone();
    if (this.#rest !== "") throw this.#outOf(`extra text: ${quoted(this.#rest)}`);
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    if (day < 1 || date.getUTCDate() !== day) throw this.#outOf("day out of range");
    return { secondMs: date.setUTCHours(hour, minute, second) - offsetMs, micros };
  }

  #year(): number {
    const year = this.#rest.slice(0, 4);
    if (!/^\d{4}$/.test(year)) throw this.#unlike("2006", this.#rest);
    this.#rest = this.#rest.slice(4);
    return Number(year);
  }

  #skip(separator: string): void {
    if (!this.#rest.startsWith(separator)) throw this.#unlike(separator, this.#rest);
    this.#rest = this.#rest.slice(1);
  }

  #number(element: string, leastDigits: 1 | 2, limits?: readonly [number, number, string]): number {
    const held = this.#rest;
    const digits = (leastDigits === 1 ? /^\d\d?/ : /^\d\d/).exec(held)?.[0];
    if (digits === undefined) throw this.#unlike(element, held);
    this.#rest = held.slice(digits.length);
    const value = Number(digits);
    if (limits === undefined) return value;
    const [least, most, name] = limits;
    if (value < least || value > most) throw this.#outOf(`${name} out of range`);
    return value;
  }

  #anyFraction(): number {
    const fraction = /^[.,](\d+)/.exec(this.#rest);
    if (fraction === null) return 0;
    this.#rest = this.#rest.slice(fraction[0].length);
    return Number((fraction[1] ?? "").slice(0, 6).padEnd(6, "0"));
  }

  #sixDigits(): number {
    const held = this.#rest;
    const fraction = /^[.,](\d{6})/.exec(held);
    if (fraction === null) throw this.#unlike(".000000", held);
    this.#rest = held.slice(7);
    return Number(fraction[1]);
  }

  #zone(): number {
    const held = this.#rest;
    if (held.startsWith("Z")) {
      this.#rest = held.slice(1);
      return 0;
    }
    const zone = /^(.)(\d\d):(\d\d)/s.exec(held);
    if (zone === null) throw this.#unlike("Z07:00", held);
    const [all, sign, hours, minutes] = zone;
    this.#rest = held.slice(all.length);
    if (Number(hours) > 24) throw this.#outOf("time zone offset hour out of range");
    if (Number(minutes) > 60) throw this.#outOf("time zone offset minute out of range");
    if (sign !== "+" && sign !== "-") throw this.#unlike("Z07:00", held);
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  }

  #unlike(element: string, value: string): Misread {
    return new Misread(
      `parsing time ${quoted(this.#text)} as ${quoted(this.#layout)}: cannot parse ${quoted(value)} as ${quoted(element)}`,
    );
  }

  #outOf(message: string): Misread {
    return new Misread(`parsing time ${quoted(this.#text)}: ${message}`);
  }
}

/** upstream: time/format.go#quote */
function quoted(text: string): string {
  let out = "";
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) out += `\\x${byte.toString(16).padStart(2, "0")}`;
    else out += character === '"' || character === "\\" ? `\\${character}` : character;
  }
  return `"${out}"`;
}
