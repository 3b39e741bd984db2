import { smallest } from "../../pkg/api/extremes.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** Pods whose eviction was allowed, and when. */
export type Disrupted = Readonly<Record<string, string>>;

/** An eviction that has not led to a deletion for so long will not do so any more. */
const DELETION_TIMEOUT_MS = 2 * 60_000;

export interface DisruptedPlan {
  /** Those that are still waited for. */
  readonly disrupted: Disrupted;
  /** Pods that are waited for no longer: they count as any other. */
  readonly notDeleted: readonly Pod[];
  /** Ready, and not about to go. */
  readonly healthy: number;
  /** When the first one will have been waited for too long. */
  readonly recheckAfterMs: number | undefined;
}

/** Takes those off the list that are gone, are going, or were never deleted, and counts the healthy ones. */
export function decideDisrupted(
  pods: readonly Pod[],
  before: Disrupted | undefined,
  nowMs: number,
): DisruptedPlan {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const waits = staying.flatMap((pod) => {
    const { name = "" } = pod.metadata;
    const since = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    if (since === undefined) return [];
    return [{ pod, name, since, leftMs: (parseTime(since) ?? 0) + DELETION_TIMEOUT_MS - nowMs }];
  });
  const waiting = waits.filter(({ leftMs }) => leftMs >= 0);
  const awaited = new Set(waits.filter(({ leftMs }) => leftMs > 0).map(({ name }) => name));
  const healthy = staying.filter((pod) => !awaited.has(pod.metadata.name ?? "") && isPodReady(pod));
  const firstMs = smallest(waiting.map(({ leftMs }) => leftMs));
  return {
    disrupted: Object.fromEntries(waiting.map(({ name, since }) => [name, since])),
    notDeleted: waits.filter(({ leftMs }) => leftMs < 0).map(({ pod }) => pod),
    healthy: healthy.length,
    // At the very end of its time a pod is still on the list, and a moment later it is not.
    recheckAfterMs: firstMs === undefined ? undefined : firstMs + 1,
  };
}
