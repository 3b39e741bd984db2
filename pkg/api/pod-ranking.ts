import { parseInt32 } from "./int64.ts";
import { isPodReady, isRestartableInitContainer, podReadySinceMs } from "./pod.ts";
import { parseTime } from "./time.ts";
import type { Pod } from "./types/core-v1.gen.ts";

export const podDeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

export interface RankedPod {
  readonly pod: Pod;
  /** How many active pods of the same owner run on the pod's node. */
  readonly rank: number;
}

export interface RankingOptions {
  readonly nowMs: number;
  /** Feature gate PodDeletionCost. */
  readonly deletionCost: boolean;
  /** Feature gate LogarithmicScaleDown: ages within a power of two are equal, so that scaling down picks among them. */
  readonly logarithmicAges: boolean;
}

/** Sorts the pods so that those to be deleted first come first. */
export function byDeletionOrder(options: RankingOptions): (a: RankedPod, b: RankedPod) => number {
  return (a, b) =>
    assigned(a.pod) - assigned(b.pod) ||
    phaseOrdinal(a.pod) - phaseOrdinal(b.pod) ||
    Number(isPodReady(a.pod)) - Number(isPodReady(b.pod)) ||
    (options.deletionCost ? deletionCost(a.pod) - deletionCost(b.pod) : 0) ||
    b.rank - a.rank ||
    compareReadyTimes(a.pod, b.pod, options) ||
    compareRestarts(a.pod, b.pod) ||
    compareAges(
      a.pod,
      b.pod,
      parseTime(a.pod.metadata.creationTimestamp),
      parseTime(b.pod.metadata.creationTimestamp),
      options,
    );
}

function assigned(pod: Pod): number {
  return pod.spec?.nodeName ? 1 : 0;
}

function phaseOrdinal(pod: Pod): number {
  if (pod.status?.phase === "Running") return 2;
  return pod.status?.phase === "Unknown" ? 1 : 0;
}

/** An int32 without plus sign or leading zeros (but -05 passes); anything else, which the API server refuses, is 0. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[podDeletionCostAnnotation] ?? "0";
  if (!/^(0|-\d+|[1-9]\d*)$/.test(text)) return 0;
  return parseInt32(text) ?? 0;
}

function compareReadyTimes(a: Pod, b: Pod, options: RankingOptions): number {
  if (!isPodReady(a) || !isPodReady(b)) return 0;
  return compareAges(a, b, podReadySinceMs(a), podReadySinceMs(b), options);
}

/** The younger first, and one of unknown age before all. Equal buckets fall back to uids: chance, but always the same. */
function compareAges(
  a: Pod,
  b: Pod,
  aMs: number | undefined,
  bMs: number | undefined,
  options: RankingOptions,
): number {
  if (aMs === bMs) return 0;
  if (aMs === undefined) return -1;
  if (bMs === undefined) return 1;
  if (!options.logarithmicAges) return bMs - aMs;
  const difference = ageBucket(options.nowMs - aMs) - ageBucket(options.nowMs - bMs);
  return difference || compareText(a.metadata.uid ?? "", b.metadata.uid ?? "");
}

/** upstream: pkg/controller/controller_utils.go#logarithmicRankDiff counts in nanoseconds. */
function ageBucket(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function compareRestarts(a: Pod, b: Pod): number {
  const [inA, inB] = [maxRestarts(a), maxRestarts(b)];
  return inB.regular - inA.regular || inB.sidecar - inA.sidecar;
}

function maxRestarts(pod: Pod): { readonly regular: number; readonly sidecar: number } {
  const sidecars = new Set(
    pod.spec?.initContainers?.filter(isRestartableInitContainer).map((container) => container.name),
  );
  const initStatuses = pod.status?.initContainerStatuses?.filter((status) => sidecars.has(status.name));
  return {
    regular: Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount)),
    sidecar: Math.max(0, ...(initStatuses ?? []).map((status) => status.restartCount)),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
