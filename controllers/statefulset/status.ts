import { isPodAvailable, isPodReady, untilNextPodAvailableMs } from "../../pkg/api/pod.ts";
import type { StatefulSet, StatefulSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import { revisionOf } from "./identity.ts";
import type { Revisions } from "./revisions.ts";
import { desiredReplicas, minReadySeconds } from "./stateful-set.ts";
import type { PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface StatusView {
  readonly set: Stored<StatefulSet>;
  /** The pods with a place, whether it is still asked for or not. */
  readonly pods: readonly PodOfSet[];
  readonly revisions: Revisions;
  /** The pods that this sync has deleted because they are outdated. */
  readonly outdated: readonly PodOfSet[];
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
  const { set, revisions } = view;
  const { current, update, collisionCount } = revisions;
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    ...countPods(view, nowMs),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
  };
  const desired = desiredReplicas(set);
  const complete = [status.updatedReplicas, status.readyReplicas, status.replicas].every(
    (count) => count === desired,
  );
  if (!complete) return status;
  return { ...status, currentRevision: status.updateRevision, currentReplicas: status.updatedReplicas };
}

function countPods({ set, pods, revisions, outdated }: StatusView, nowMs: number) {
  const { current, update } = revisions;
  const seconds = minReadySeconds(set);
  const going = new Set(outdated);
  const counts = {
    replicas: pods.length,
    readyReplicas: 0,
    availableReplicas: 0,
    currentReplicas: 0,
    updatedReplicas: 0,
  };
  for (const pod of pods) {
    if (isRunningAndReady(pod)) {
      counts.readyReplicas++;
      if (isPodAvailable(pod, seconds, nowMs)) counts.availableReplicas++;
    }
    // A terminating pod counts as a replica, but for no revision.
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    if (!going.has(pod) && has(pod, current.metadata.name)) counts.currentReplicas++;
    if (has(pod, update.metadata.name)) counts.updatedReplicas++;
  }
  return counts;
}

function isRunningAndReady(pod: PodOfSet): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}

function has(pod: PodOfSet, revisionName: string | undefined): boolean {
  return revisionOf(pod) === revisionName;
}

const COUNTS = [
  "replicas",
  "readyReplicas",
  "availableReplicas",
  "currentReplicas",
  "updatedReplicas",
] as const;
const REVISIONS = ["currentRevision", "updateRevision"] as const;

/** upstream: pkg/controller/statefulset/stateful_set_utils.go#inconsistentStatus leaves out the count of collisions. */
function needsWriting(before: StatefulSetStatus | undefined, next: StatefulSetStatus): boolean {
  return (
    (next.observedGeneration ?? 0) > (before?.observedGeneration ?? 0) ||
    COUNTS.some((name) => (next[name] ?? 0) !== (before?.[name] ?? 0)) ||
    REVISIONS.some((name) => (next[name] ?? "") !== (before?.[name] ?? ""))
  );
}

/** While some ready pod has yet to become available: the time until the first does, or minReadySeconds to be safe. */
function recheckAfterMs(view: StatusView, status: StatefulSetStatus, nowMs: number): number | undefined {
  const seconds = minReadySeconds(view.set);
  if (seconds <= 0 || status.readyReplicas === status.availableReplicas) return undefined;
  return untilNextPodAvailableMs(view.pods, seconds, nowMs, nowMs) ?? seconds * 1_000;
}
