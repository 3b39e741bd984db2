import { findCondition } from "../../pkg/api/conditions.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { DeploymentCondition } from "../../pkg/api/types/apps-v1.gen.ts";

export type Conditions = readonly DeploymentCondition[];

export const AVAILABLE = "Available";
export const PROGRESSING = "Progressing";
export const REPLICA_FAILURE = "ReplicaFailure";

/** Reasons of the condition Progressing. */
export const REPLICA_SET_UPDATED = "ReplicaSetUpdated";
export const REPLICA_SET_CREATE_ERROR = "ReplicaSetCreateError";
export const NEW_REPLICA_SET_CREATED = "NewReplicaSetCreated";
export const FOUND_NEW_REPLICA_SET = "FoundNewReplicaSet";
export const NEW_REPLICA_SET_AVAILABLE = "NewReplicaSetAvailable";
export const DEADLINE_EXCEEDED = "ProgressDeadlineExceeded";
export const PAUSED = "DeploymentPaused";
export const RESUMED = "DeploymentResumed";

/** What a condition says, apart from since when. */
export interface Statement {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export function newCondition(
  { type, status, reason, message }: Statement,
  nowMs: number,
): DeploymentCondition {
  const now = formatTime(nowMs);
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

/**
 * Puts the condition last. When there is one of its type with the same status and reason, nothing changes; when the
 * status alone is the same, the time of the transition is kept.
 */
export function withCondition(conditions: Conditions, next: DeploymentCondition): Conditions {
  const before = findCondition(conditions, next.type);
  if (before?.status === next.status && before.reason === next.reason) return conditions;
  return [...withoutCondition(conditions, next.type), keepTransition(before, next)];
}

/** As withCondition, but the time of the last update moves even when status and reason are the same. */
export function withRefreshedCondition(conditions: Conditions, next: DeploymentCondition): Conditions {
  const before = findCondition(conditions, next.type);
  return [...withoutCondition(conditions, next.type), keepTransition(before, next)];
}

export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

function keepTransition(
  before: DeploymentCondition | undefined,
  next: DeploymentCondition,
): DeploymentCondition {
  if (before?.status !== next.status || before.lastTransitionTime === undefined) return next;
  return { ...next, lastTransitionTime: before.lastTransitionTime };
}
