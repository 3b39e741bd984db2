/** No clocks are changed twice within so long. */
const SPAN_MS = 7 * 24 * 3_600_000;

/** No Date is farther away from 1970. */
const FARTHEST_MS = 8.64e15;

/** Made once for each zone, as it is costly. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError when there is no such zone. Temporal, which knows more, is there from Node.js 26 on only. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, made);
  return made;
}

/** What the clocks of a place show: a time zone of the IANA database. Times are epoch milliseconds. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** The offset that was looked up last holds from one change of the clocks to the next. */
  #startMs = Infinity;
  #endMs = -Infinity;
  #offsetMs = 0;

  /** Throws a RangeError when there is no such zone. */
  constructor(name: string) {
    this.name = name;
    this.#format = formatIn(name);
  }

  /** By how much the clocks are ahead of UTC. */
  offsetMs(epochMs: number): number {
    if (epochMs < this.#startMs || epochMs >= this.#endMs) this.#lookUp(epochMs);
    return this.#offsetMs;
  }

  /** What the clocks show, as the epoch time at which clocks in UTC show the same. */
  wallMs(epochMs: number): number {
    return epochMs + this.offsetMs(epochMs);
  }

  /**
   * When the clocks show this. They show some times twice and others never; then the answer is what Go says: a time that
   * is right by the offset before or after the change. upstream: time/time.go#Date
   */
  epochMs(wallMs: number): number {
    const offsetMs = this.offsetMs(wallMs);
    return offsetMs === 0 ? wallMs : wallMs - this.offsetMs(wallMs - offsetMs);
  }

  /** E.g. 2016-05-19T12:00:00+02:00; Z stands for +00:00. */
  format(epochMs: number): string {
    const local = new Date(this.wallMs(epochMs)).toISOString().slice(0, 19);
    const minutes = Math.trunc(this.offsetMs(epochMs) / 60_000);
    if (minutes === 0) return `${local}Z`;
    const digits = (value: number): string => Math.trunc(value).toString().padStart(2, "0");
    const size = Math.abs(minutes);
    return `${local}${minutes < 0 ? "-" : "+"}${digits(size / 60)}:${digits(size % 60)}`;
  }

  #lookUp(epochMs: number): void {
    const nowMs = Math.floor(epochMs);
    this.#offsetMs = this.#offsetAt(nowMs);
    this.#startMs = this.#farthest(nowMs, -SPAN_MS);
    this.#endMs = this.#farthest(nowMs, SPAN_MS) + 1;
  }

  /** The time farthest from this one, within the span, up to which the offset is the one that was looked up last. */
  #farthest(epochMs: number, spanMs: number): number {
    if (this.#offsetAt(epochMs + spanMs) === this.#offsetMs) return epochMs + spanMs;
    let [same, other] = [0, spanMs];
    while (Math.abs(other - same) > 1) {
      const middle = Math.trunc((same + other) / 2);
      if (this.#offsetAt(epochMs + middle) === this.#offsetMs) same = middle;
      else other = middle;
    }
    return epochMs + same;
  }

  /** As it is told to people: GMT, GMT+02:00, or, before there were zones, GMT-00:01:15. */
  #offsetAt(epochMs: number): number {
    const knownMs = Math.min(Math.max(epochMs, -FARTHEST_MS), FARTHEST_MS);
    const told = this.#format.formatToParts(knownMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes, seconds = "0"] = OFFSET.exec(told) ?? [];
    const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds);
    return (sign === "-" ? -size : size) * 1_000;
  }
}

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/**
 * The zone of this name, undefined when there is none. Names are written as in the database, other than Intl sees it:
 * "europe/rome" is none, and neither is "+01:00".
 */
export function timeZoneNamed(name: string): TimeZone | undefined {
  if (name === "") return new TimeZone("UTC");
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const zone = formatIn(name).resolvedOptions().timeZone;
    if (zone === name) return new TimeZone(name);
    const isMiswritten = zone.toLowerCase() === name.toLowerCase() || !isWrittenAsAlias(name);
    return isMiswritten ? undefined : new TimeZone(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Other names of zones, without a place: of these nothing but the list tells how they are written. */
const ALIASES: ReadonlySet<string> = new Set(
  (
    "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran " +
    "Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK " +
    "Singapore Turkey UCT UTC Universal W-SU WET Zulu"
  ).split(" "),
);

/** Places begin with a capital letter, and so do their parts. */
function isWrittenAsAlias(name: string): boolean {
  return name.includes("/") ? name.split("/").every((part) => /^[A-Z]/.test(part)) : ALIASES.has(name);
}

/** What is wrong with the name of a time zone in an object's spec; undefined when it can be used. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === "") return "timeZone must be nil or non-empty string";
  if (name.toLowerCase() === "local") {
    return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  }
  if (timeZoneNamed(name) !== undefined) return undefined;
  // upstream: time.LoadLocation does not look for what could lead out of its directory.
  return isNoName(name) ? `unknown time zone ${name}` : misleading(name);
}

/** What Kubernetes finds on its own. */
function isNoName(name: string): boolean {
  return name
    .split("/")
    .some((part) => part === "." || part === ".." || !/^(?!-)[A-Za-z\d._+-]{1,14}$/.test(part));
}

function misleading(name: string): string {
  return name.includes("..") ? "time: invalid location name" : `unknown time zone ${name}`;
}
