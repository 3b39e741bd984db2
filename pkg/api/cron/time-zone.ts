/** What the clocks of a place show: a time zone of the IANA database. Times are epoch milliseconds. */
export class TimeZone {
  readonly name: string;
  /** The offset that was looked up last holds from one change of the clocks to the next. */
  #startMs = Infinity;
  #endMs = -Infinity;
  #offsetMs = 0;

  /** Throws a RangeError when there is no such zone. */
  constructor(name: string) {
    this.name = name;
    this.#lookUp(0);
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
    const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(this.name);
    // The change before: also one that happens at this very instant.
    const before = local.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
    this.#startMs = before?.epochMilliseconds ?? -Infinity;
    this.#endMs = local.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
    this.#offsetMs = local.offsetNanoseconds / 1e6;
  }
}

/**
 * The zone of this name, undefined when there is none. Names are written as in the database, other than Temporal sees
 * it: "europe/rome" is none, and neither is "+01:00".
 */
export function timeZoneNamed(name: string): TimeZone | undefined {
  if (name === "") return new TimeZone("UTC");
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const zone = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return zone.timeZoneId === name ? new TimeZone(name) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What is wrong with the name of a time zone in an object's spec; undefined when it can be used. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === "") return "timeZone must be nil or non-empty string";
  if (name.toLowerCase() === "local") {
    return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  }
  return timeZoneNamed(name) === undefined ? `unknown time zone ${name}` : undefined;
}
