import { parseDurationMs, DurationError } from "../../api/duration.ts";
import type { ApiObject } from "../../api/object.ts";
import { parseQuantity, QuantityError } from "../../api/quantity-parse.ts";
import { parseTime } from "../../api/time.ts";

/** An amount that goes from one to another in so long, and stays there. */
export interface Load {
  readonly from: number;
  readonly to: number;
  readonly overMs: number;
}

const RAMP = /^(?<from>[^.\s]\S*?)\.\.(?<to>[^/\s]+)\/(?<over>\S+)$/;

/** `250m`, or `100m..2/5m`: from the one to the other in five minutes. What cannot be read says nothing. */
export function parseLoad(text: string | undefined): Load | undefined {
  if (text === undefined) return undefined;
  const { from = text, to = text, over = "0s" } = RAMP.exec(text.trim())?.groups ?? {};
  try {
    return { from: amountOf(from), to: amountOf(to), overMs: Math.max(0, parseDurationMs(over)) };
  } catch (error) {
    if (error instanceof QuantityError || error instanceof DurationError) return undefined;
    throw error;
  }
}

export function loadAt({ from, to, overMs }: Load, sinceMs: number, nowMs: number): number {
  const passed = nowMs - sinceMs;
  if (overMs === 0 || passed >= overMs) return to;
  return from + (to - from) * (Math.max(0, passed) / overMs);
}

/** When the annotation was written, as far as its owner tells; else when the object was made. */
export function saidSinceMs({ metadata }: ApiObject, annotation: string): number {
  const times = (metadata.managedFields ?? []).flatMap(({ time, fieldsV1 }) =>
    time !== undefined && JSON.stringify(fieldsV1 ?? {}).includes(`"f:${annotation}"`)
      ? [parseTime(time) ?? 0]
      : [],
  );
  return Math.max(parseTime(metadata.creationTimestamp) ?? 0, ...times.slice(0, 1));
}

function amountOf(text: string): number {
  return parseQuantity(text).milliValue() / 1_000;
}
