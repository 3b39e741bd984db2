import type { PartialObject } from "../../../pkg/api/object.ts";
import { parseTime } from "../../../pkg/api/time.ts";

const LIMIT_MS = 15 * 60_000;

/** Whether whoever wanted it must have got it, or have given up. upstream: cleaner/pcrcleaner.go#handle */
export function isOver({ metadata }: PartialObject, nowMs: number): boolean {
  return nowMs >= (parseTime(metadata.creationTimestamp) ?? 0) + LIMIT_MS;
}
