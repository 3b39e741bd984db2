/** A count, or a percentage such as "25%". */
export type IntOrString = number | string;

export class IntOrStringError extends Error {
  readonly code = "InvalidIntOrString";
}

/** A percentage of `total`, rounded; a number as it is. Throws an IntOrStringError for any other string. */
export function scaledValue(value: IntOrString, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = percentOf(value);
  const scaled = (percent * total) / 100;
  return rounding === "up" ? Math.ceil(scaled) : Math.floor(scaled);
}

/** What maxSurge and maxUnavailable of a rolling update come to, for that many desired replicas. */
export function resolveFenceposts(
  maxSurge: IntOrString | undefined,
  maxUnavailable: IntOrString | undefined,
  desired: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = scaledValue(maxSurge ?? 0, desired, "up");
  const unavailable = scaledValue(maxUnavailable ?? 0, desired, "down");
  // Validation refuses two zeros, but 25% of 3 rounds down to none: without surge, nothing could ever move.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** "80" and 80 are the number, anything else stays a string: a named port, a percentage. */
export function parseIntOrString(text: string): IntOrString {
  const parsed = /^[+-]?[0-9]+$/.test(text) ? Number(text) : undefined;
  return parsed === undefined || parsed < -(2 ** 31) || parsed > 2 ** 31 - 1 ? text : parsed;
}

function percentOf(text: string): number {
  if (!text.endsWith("%")) {
    throw new IntOrStringError("invalid value for IntOrString: invalid type: string is not a percentage");
  }
  const number = text.slice(0, -1);
  if (!/^[+-]?[0-9]+$/.test(number)) {
    throw new IntOrStringError(
      `invalid value for IntOrString: invalid value ${JSON.stringify(text)}: strconv.Atoi: ` +
        `parsing ${JSON.stringify(number)}: invalid syntax`,
    );
  }
  return Number(number);
}
