import { parseTime } from "../../pkg/api/time.ts";
import type { V1alpha3ResourcePoolStatusRequest } from "../../pkg/api/types/resource-v1alpha3.gen.ts";

const HOUR_MS = 3_600_000;
const ANSWERED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;
const ANSWERS: ReadonlySet<string> = new Set(["Complete", "Failed"]);

/** Nobody is going to read the answer any more, or to give one. */
export function isExpired(
  { metadata, status }: Pick<V1alpha3ResourcePoolStatusRequest, "metadata" | "status">,
  nowMs: number,
): boolean {
  const { creationTimestamp } = metadata;
  if (status === undefined) return isOlder(creationTimestamp, PENDING_MS, nowMs);
  const answer = status.conditions?.find(({ type }) => ANSWERS.has(type));
  return isOlder(answer === undefined ? creationTimestamp : answer.lastTransitionTime, ANSWERED_MS, nowMs);
}

/** What has no time is not old. */
function isOlder(time: string | null | undefined, limitMs: number, nowMs: number): boolean {
  const sinceMs = parseTime(time ?? undefined);
  return sinceMs !== undefined && nowMs - sinceMs > limitMs;
}
