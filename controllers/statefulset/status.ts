import { isPodAvailable, isPodReady, untilNextPodAvailableMs } from "../../pkg/api/pod.ts";
import type { StatefulSet, StatefulSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { revisionOf } from "./identity.ts";
import type { Revisions } from "./revisions.ts";
import { desiredReplicas, isRollingUpdate, minReadySeconds } from "./stateful-set.ts";

export interface StatusView {
  readonly set: StatefulSet;
  /** The pods with a place, whether it is still asked for or not. */
  readonly pods: readonly Pod[];
  readonly revisions: Revisions;
  /** The pods that this sync has deleted because they are outdated. */
  readonly outdated: readonly Pod[];
}

export interface StatusPlan {
  /** Undefined when the status would not change. */
  readonly status: StatefulSetStatus | undefined;
  /** When the next pod becomes available merely because time has passed. */
  readonly recheckAfterMs: number | undefined;
}

export function decideStatus(view: StatusView, nowMs: number): StatusPlan {
  const status = computeStatus(view, nowMs);
  return {
    status: needsWriting(view.set.status, status) ? status : undefined,
    recheckAfterMs: recheckAfterMs(view, status, nowMs),
  };
}

export function computeStatus(view: StatusView, nowMs: number): StatefulSetStatus {
  const { set, pods, revisions } = view;
  const { current, update, collisionCount } = revisions;
  const ready = pods.filter(isRunningAndReady);
  // A terminating pod counts as a replica, but for no revision.
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const going = new Set(view.outdated);
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds(set), nowMs)).length,
    currentReplicas: staying.filter((pod) => !going.has(pod) && has(pod, current.metadata.name)).length,
    updatedReplicas: staying.filter((pod) => has(pod, update.metadata.name)).length,
    currentRevision: current.metadata.name ?? "",
    updateRevision: update.metadata.name ?? "",
    collisionCount,
  };
  const desired = desiredReplicas(set);
  const complete =
    isRollingUpdate(set) &&
    [status.updatedReplicas, status.readyReplicas, status.replicas].every((count) => count === desired);
  if (!complete) return status;
  return { ...status, currentRevision: status.updateRevision, currentReplicas: status.updatedReplicas };
}

function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}

function has(pod: Pod, revisionName: string | undefined): boolean {
  return revisionOf(pod) === revisionName;
}

/** upstream: pkg/controller/statefulset/stateful_set_utils.go#inconsistentStatus leaves out the count of collisions. */
function needsWriting(before: StatefulSetStatus | undefined, next: StatefulSetStatus): boolean {
  const count = (status: StatefulSetStatus | undefined): readonly (number | string)[] => [
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    status?.availableReplicas ?? 0,
    status?.currentReplicas ?? 0,
    status?.updatedReplicas ?? 0,
    status?.currentRevision ?? "",
    status?.updateRevision ?? "",
  ];
  const then = count(before);
  return (
    (next.observedGeneration ?? 0) > (before?.observedGeneration ?? 0) ||
    count(next).some((value, index) => value !== then[index])
  );
}

/** While some ready pod has yet to become available: the time until the first does, or minReadySeconds to be safe. */
function recheckAfterMs(view: StatusView, status: StatefulSetStatus, nowMs: number): number | undefined {
  const seconds = minReadySeconds(view.set);
  if (seconds <= 0 || status.readyReplicas === status.availableReplicas) return undefined;
  return untilNextPodAvailableMs(view.pods, seconds, nowMs, nowMs) ?? seconds * 1_000;
}
