import { findCondition, hasCondition } from "./conditions.ts";
import { smallest } from "./extremes.ts";
import { formatTime, parseTime } from "./time.ts";
import type { PartOf, Projected } from "./projected.ts";
import type { Container, Pod, PodCondition } from "./types/core-v1.gen.ts";

/** Whether it is ready, and since when. */
export type PodWithReadiness = PartOf<
  Pod,
  "status.conditions.type" | "status.conditions.status" | "status.conditions.lastTransitionTime"
>;
type PodWithPhase = PartOf<Pod, "metadata.deletionTimestamp" | "status.phase">;

export function isPodReady(pod: PartOf<Pod, "status.conditions.type" | "status.conditions.status">): boolean {
  return hasCondition(pod.status?.conditions, "Ready", "True");
}

/** Ready, and for at least minReadySeconds. A Ready condition that does not say since when counts only for 0 seconds. */
export function isPodAvailable(pod: PodWithReadiness, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const sinceMs = podReadySinceMs(pod);
  return sinceMs !== undefined && sinceMs + minReadySeconds * 1000 <= nowMs;
}

/** How long until a ready pod becomes available; undefined when time alone changes nothing. */
export function untilPodAvailableMs(
  pod: PodWithReadiness,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const sinceMs = podReadySinceMs(pod);
  if (sinceMs === undefined) return undefined;
  const waitMs = sinceMs + minReadySeconds * 1000 - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}

/**
 * When to look again for pods that became available: counted from nowMs, but for the pods that were not yet available
 * at evaluatedMs, when the owner's status was computed. 0 when the first of them is due by now.
 */
export function untilNextPodAvailableMs(
  pods: readonly PodWithReadiness[],
  minReadySeconds: number,
  evaluatedMs: number,
  nowMs: number,
): number | undefined {
  const waitMs = smallest(
    pods.flatMap((pod) => untilPodAvailableMs(pod, minReadySeconds, evaluatedMs) ?? []),
  );
  return waitMs === undefined ? undefined : Math.max(0, waitMs - (nowMs - evaluatedMs));
}

/** Since when the pod is ready; undefined when it is not, or does not say. */
export function podReadySinceMs(pod: PodWithReadiness): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready");
  return ready?.status === "True" ? parseTime(ready.lastTransitionTime) : undefined;
}

export function isPodTerminal(pod: PartOf<Pod, "status.phase">): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** What is read of a pod to know whether it has let go of its volumes: of states only that they are there counts. */
export const POD_END_FIELDS = [
  "status.phase",
  "status.containerStatuses.state.terminated.exitCode",
  "status.containerStatuses.state.waiting.reason",
  "status.initContainerStatuses.state.terminated.exitCode",
  "status.initContainerStatuses.state.waiting.reason",
  "status.ephemeralContainerStatuses.state.terminated.exitCode",
  "status.ephemeralContainerStatuses.state.waiting.reason",
] as const;
type PodWithEnd = Projected<Pod, typeof POD_END_FIELDS>;
type ContainerEnd = NonNullable<NonNullable<PodWithEnd["status"]>["containerStatuses"]>[number];

/**
 * It has finished, or is being deleted and none of its containers runs: it uses no volume any more.
 * upstream: pkg/volume/util/util.go#IsPodTerminated
 */
export function hasPodEnded(pod: PodWithEnd): boolean {
  if (isPodTerminal(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  return [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].every((statuses) =>
    (statuses ?? []).every((each) => !mayRun(each)),
  );
}

/** What says nothing of its state may run. */
function mayRun({ state }: ContainerEnd): boolean {
  return state?.terminated === undefined && state?.waiting === undefined;
}

export function isPodActive(pod: PodWithPhase): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted, but its containers may still run. */
export function isPodTerminating(pod: PodWithPhase): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function podCondition<C extends { readonly type: string }>(
  pod: { readonly status?: { readonly conditions?: readonly C[] } },
  type: string,
): C | undefined {
  return findCondition(pod.status?.conditions, type);
}

/** The status with this condition, or the same status when it says so already. */
export function withPodCondition<Status extends { readonly conditions?: readonly PodCondition[] }>(
  status: Status,
  condition: PodCondition,
  nowMs: number,
): Status {
  const before = findCondition(status.conditions, condition.type);
  const moved = before === undefined || before.status !== condition.status;
  const next: PodCondition = {
    ...condition,
    lastTransitionTime: moved ? formatTime(nowMs) : (before.lastTransitionTime ?? null),
  };
  if (before === undefined) return { ...status, conditions: [...(status.conditions ?? []), next] };
  const same =
    !moved &&
    (before.reason ?? "") === (next.reason ?? "") &&
    (before.message ?? "") === (next.message ?? "") &&
    parseTime(before.lastProbeTime) === parseTime(next.lastProbeTime);
  if (same) return status;
  return {
    ...status,
    conditions: (status.conditions ?? []).map((each) => (each === before ? next : each)),
  };
}

/** A sidecar: an init container that runs as long as the pod. */
export function isRestartableInitContainer(container: Pick<Container, "restartPolicy">): boolean {
  return container.restartPolicy === "Always";
}

export function containerStatus<Status extends { readonly name: string }>(
  statuses: readonly Status[] | undefined,
  name: string,
): Status | undefined {
  return statuses?.find((status) => status.name === name);
}
