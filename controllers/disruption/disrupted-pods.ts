import { smallest } from "../../pkg/api/extremes.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { CachedPod } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** Pods whose eviction was allowed, and when. */
export type Disrupted = Readonly<Record<string, string>>;

/** A pod that is not deleted this long after its eviction was allowed will not be deleted. */
const DELETION_TIMEOUT_MS = 2 * 60_000;

export interface DisruptedPlan {
  /** Evictions whose deletion is still expected. */
  readonly disrupted: Disrupted;
  /** Pods whose deletion is given up: they count like any other pod. */
  readonly notDeleted: readonly Stored<CachedPod>[];
  /** How many pods are ready, and not about to be deleted. */
  readonly healthy: number;
  /** When the first of the expected deletions has to be given up. */
  readonly recheckAfterMs: number | undefined;
}

/** Takes pods off the list that are gone, terminating, or were never deleted, and counts the healthy ones. */
export function decideDisrupted(
  pods: readonly Stored<CachedPod>[],
  before: Disrupted | undefined,
  nowMs: number,
): DisruptedPlan {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const waits = staying.flatMap((pod) => {
    const { name } = pod.metadata;
    const since = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    if (since === undefined) return [];
    return [{ pod, name, since, leftMs: (parseTime(since) ?? 0) + DELETION_TIMEOUT_MS - nowMs }];
  });
  const waiting = waits.filter(({ leftMs }) => leftMs >= 0);
  const awaited = new Set(waits.filter(({ leftMs }) => leftMs > 0).map(({ name }) => name));
  const healthy = staying.filter((pod) => !awaited.has(pod.metadata.name) && isPodReady(pod));
  const firstMs = smallest(waiting.map(({ leftMs }) => leftMs));
  return {
    disrupted: Object.fromEntries(waiting.map(({ name, since }) => [name, since])),
    notDeleted: waits.filter(({ leftMs }) => leftMs < 0).map(({ pod }) => pod),
    healthy: healthy.length,
    // A pod is still on the list at the very end of its time, and not one millisecond later.
    recheckAfterMs: firstMs === undefined ? undefined : firstMs + 1,
  };
}
