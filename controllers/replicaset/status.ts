import { findCondition } from "../../pkg/api/conditions.ts";
import { selectorFromLabels } from "../../pkg/api/labels.ts";
import { isPodAvailable, isPodReady, untilNextPodAvailableMs } from "../../pkg/api/pod.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { ReplicaSetCondition } from "../../pkg/api/types/apps-v1.gen.ts";
import {
  desiredReplicas,
  minReadySeconds,
  podTemplate,
  type ReplicaOwner,
  type ReplicaStatus,
} from "./replica-owner.ts";
import type { CachedPod } from "./replicas.ts";

export interface StatusView {
  readonly owner: ReplicaOwner;
  readonly active: readonly CachedPod[];
  /** Undefined where the status does not count them. */
  readonly terminating: readonly CachedPod[] | undefined;
  /** What went wrong when pods were created or deleted in this sync. */
  readonly failure: string | undefined;
}

export interface StatusPlan {
  /** Undefined when the status says already what is to be said. */
  readonly status: ReplicaStatus | undefined;
  /** When a pod becomes available by the passing of time alone. */
  readonly recheckAfterMs: number | undefined;
}

const REPLICA_FAILURE = "ReplicaFailure";

export function decideStatus(view: StatusView, nowMs: number): StatusPlan {
  const status = computeStatus(view, nowMs);
  const unchanged = sameStatus(view.owner, status);
  return {
    status: unchanged ? undefined : { ...status, observedGeneration: view.owner.metadata.generation ?? 0 },
    recheckAfterMs: recheckAfterMs(view, status, nowMs),
  };
}

export function computeStatus(view: StatusView, nowMs: number): ReplicaStatus {
  const { owner, active, terminating } = view;
  const templateLabels = selectorFromLabels(podTemplate(owner).metadata?.labels);
  const ready = active.filter(isPodReady);
  // Where pods that are being deleted are not counted (any more), an earlier count must not stay.
  const {
    conditions: _before,
    terminatingReplicas: _count,
    ...rest
  }: ReplicaStatus = owner.status ?? { replicas: 0 };
  const conditions = decideConditions(view, nowMs);
  return {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => templateLabels.matches(pod.metadata.labels)).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds(owner), nowMs)).length,
    ...(terminating && { terminatingReplicas: terminating.length }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** ReplicaFailure appears with the first failure, keeps its text while failures go on, and goes when they end. */
function decideConditions(view: StatusView, nowMs: number): readonly ReplicaSetCondition[] {
  const before = view.owner.status?.conditions ?? [];
  const failing = findCondition(before, REPLICA_FAILURE) !== undefined;
  if (view.failure === undefined) return before.filter((condition) => condition.type !== REPLICA_FAILURE);
  if (failing) return before;
  return [
    ...before,
    {
      type: REPLICA_FAILURE,
      status: "True",
      lastTransitionTime: formatTime(nowMs),
      reason: view.active.length < desiredReplicas(view.owner) ? "FailedCreate" : "FailedDelete",
      message: view.failure,
    },
  ];
}

function sameStatus(owner: ReplicaOwner, next: ReplicaStatus): boolean {
  const before: Partial<ReplicaStatus> = owner.status ?? {};
  return (
    (before.replicas ?? 0) === next.replicas &&
    (before.fullyLabeledReplicas ?? 0) === next.fullyLabeledReplicas &&
    (before.readyReplicas ?? 0) === next.readyReplicas &&
    (before.availableReplicas ?? 0) === next.availableReplicas &&
    before.terminatingReplicas === next.terminatingReplicas &&
    (owner.metadata.generation ?? 0) === (before.observedGeneration ?? 0) &&
    (before.conditions ?? []).length === (next.conditions ?? []).length &&
    (before.conditions ?? []).every((condition) => next.conditions?.includes(condition))
  );
}

/** While some ready pod has yet to become available: the time until the first does, or minReadySeconds to be safe. */
function recheckAfterMs(view: StatusView, status: ReplicaStatus, nowMs: number): number | undefined {
  const seconds = minReadySeconds(view.owner);
  if (seconds <= 0 || status.readyReplicas === status.availableReplicas) return undefined;
  return untilNextPodAvailableMs(view.active, seconds, nowMs, nowMs) ?? seconds * 1_000;
}
