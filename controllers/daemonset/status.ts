import { isPodAvailable, isPodReady, untilNextPodAvailableMs } from "../../pkg/api/pod.ts";
import type { DaemonSet, DaemonSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import { minReadySeconds } from "./daemon-set.ts";
import type { FitsNode } from "./node-fit.ts";
import { byPlacementAndAge, isPodUpdated, type PodsByNode } from "./node-pods.ts";
import type { CachedPod, CachedNode } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface StatusView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Stored<CachedNode>[];
  readonly fits: FitsNode;
  readonly pods: PodsByNode;
  /** The revision hash of the current template. */
  readonly hash: string;
  /** False when this generation has not been acted on, so that it must not be called observed. */
  readonly acted: boolean;
}

export interface StatusPlan {
  /** What changes in the status; undefined when it says already what is to be said. */
  readonly status: DaemonSetStatus | undefined;
  /** When a pod becomes available by the passing of time alone. */
  readonly recheckAfterMs: number | undefined;
}

const COUNTS = [
  "desiredNumberScheduled",
  "currentNumberScheduled",
  "numberMisscheduled",
  "numberReady",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
] as const;

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export function decideStatus(view: StatusView, nowMs: number): StatusPlan {
  const { daemonSet, acted } = view;
  const counts = countPods(view, nowMs);
  const generation = daemonSet.metadata.generation ?? 0;
  const observed = daemonSet.status?.observedGeneration ?? 0;
  const isSame =
    COUNTS.every((count) => (daemonSet.status?.[count] ?? 0) === counts[count]) &&
    (!acted || observed >= generation);
  return {
    status: isSame ? undefined : { ...counts, ...(acted && { observedGeneration: generation }) },
    recheckAfterMs: recheckAfterMs(view, nowMs),
  };
}

/** A node counts with the first of its pods: the one on it, or else the oldest. */
function countPods({ daemonSet, nodes, fits, pods, hash }: StatusView, nowMs: number): Counts {
  const desired = nodes.filter((node) => fits(node).shouldRun);
  const first = desired.flatMap((node) => firstPod(pods, node) ?? []);
  const ready = first.filter(isPodReady);
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds(daemonSet), nowMs));
  const elsewhere = nodes.filter((node) => !fits(node).shouldRun);
  return {
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: elsewhere.filter((node) => firstPod(pods, node) !== undefined).length,
    numberReady: ready.length,
    updatedNumberScheduled: first.filter((pod) => isPodUpdated(pod, daemonSet, hash)).length,
    numberAvailable: available.length,
    numberUnavailable: desired.length - available.length,
  };
}

function firstPod(pods: PodsByNode, node: Stored<CachedNode>): CachedPod | undefined {
  const there = pods.get(node.metadata.name);
  return there === undefined || there.length <= 1 ? there?.[0] : there.toSorted(byPlacementAndAge)[0];
}

/**
 * All pods, not only those that count: with a surge, the ones that wait to be available are the second of their node.
 */
function recheckAfterMs({ daemonSet, pods }: StatusView, nowMs: number): number | undefined {
  const seconds = minReadySeconds(daemonSet);
  if (seconds <= 0) return undefined;
  const ready = [...pods.values()].flat().filter(isPodReady);
  const wait = untilNextPodAvailableMs(ready, seconds, nowMs, nowMs);
  if (wait !== undefined) return wait;
  // Ready, but it does not say since when: look again, to be safe.
  return ready.some((pod) => !isPodAvailable(pod, seconds, nowMs)) ? seconds * 1_000 : undefined;
}
