import { findCondition } from "../../pkg/api/conditions.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../pkg/api/types/apps-v1.gen.ts";
import {
  type Conditions,
  DEADLINE_EXCEEDED,
  FOUND_NEW_REPLICA_SET,
  NEW_REPLICA_SET_AVAILABLE,
  newCondition,
  PAUSED,
  PROGRESSING,
  REPLICA_FAILURE,
  REPLICA_SET_UPDATED,
  RESUMED,
  withCondition,
  withoutCondition,
  withRefreshedCondition,
} from "./conditions.ts";
import { allOf, type Revisions } from "./replica-sets.ts";
import { computeStatus, isComplete, sameStatus } from "./status.ts";
import { progressDeadlineSeconds } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface ProgressPlan {
  /** Undefined when the status is up to date. */
  readonly status: DeploymentStatus | undefined;
  /** When to look whether the deadline has passed, as nothing else may happen until then. */
  readonly recheckAfterMs: number | undefined;
}

/** The status of a Deployment in a rollout: counts, and how far it has come. */
export function decideProgress(
  deployment: Stored<Deployment>,
  revisions: Revisions,
  countsTerminating: boolean,
  nowMs: number,
): ProgressPlan {
  const counted = computeStatus(deployment, revisions, countsTerminating, nowMs);
  let conditions = counted.conditions ?? [];
  conditions =
    progressDeadlineSeconds(deployment) === undefined
      ? withoutCondition(conditions, PROGRESSING)
      : withProgress({ ...counted, conditions }, deployment, revisions.current, nowMs);
  const failure = replicaFailure(revisions);
  conditions =
    failure === undefined
      ? withoutCondition(conditions, REPLICA_FAILURE)
      : withCondition(conditions, failure);
  const status = { ...counted, conditions };
  if (!sameStatus(deployment.status, status)) return { status, recheckAfterMs: undefined };
  return { status: undefined, recheckAfterMs: recheckAfterMs(deployment, status, nowMs) };
}

/** The conditions of the status, with Progressing brought up to date. */
function withProgress(
  status: DeploymentStatus,
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  nowMs: number,
): Conditions {
  const { conditions = [] } = status;
  const before = findCondition(deployment.status?.conditions, PROGRESSING);
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === NEW_REPLICA_SET_AVAILABLE;
  // A complete rollout makes no more progress, whatever happens to its pods.
  if (wasComplete) return conditions;
  const subject =
    current === undefined
      ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
      : `ReplicaSet ${JSON.stringify(current.metadata.name)}`;
  const condition = (status: "True" | "False", reason: string, words: string): DeploymentCondition =>
    newCondition({ type: PROGRESSING, status, reason, message: `${subject} ${words}.` }, nowMs);
  if (isComplete(deployment, status)) {
    return withCondition(
      conditions,
      condition("True", NEW_REPLICA_SET_AVAILABLE, "has successfully progressed"),
    );
  }
  if (hasProgressed(deployment.status, status)) {
    return withRefreshedCondition(conditions, condition("True", REPLICA_SET_UPDATED, "is progressing"));
  }
  if (hasTimedOut(deployment, nowMs)) {
    return withCondition(conditions, condition("False", DEADLINE_EXCEEDED, "has timed out progressing"));
  }
  return conditions;
}

/** More current pods, fewer old ones, or more that are ready or available than were reported last. */
export function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const count = (status: DeploymentStatus | undefined, key: CountKey): number => status?.[key] ?? 0;
  const old = (status: DeploymentStatus | undefined): number =>
    count(status, "replicas") - count(status, "updatedReplicas");
  return (
    count(after, "updatedReplicas") > count(before, "updatedReplicas") ||
    old(after) < old(before) ||
    count(after, "readyReplicas") > count(before, "readyReplicas") ||
    count(after, "availableReplicas") > count(before, "availableReplicas")
  );
}

type CountKey = "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas";

/** Whether the rollout has made no progress for longer than the deadline. One that was complete cannot time out. */
export function hasTimedOut(deployment: Stored<Deployment>, nowMs: number): boolean {
  const deadline = progressDeadlineSeconds(deployment);
  const condition = findCondition(deployment.status?.conditions, PROGRESSING);
  if (deadline === undefined || condition === undefined || condition.reason === NEW_REPLICA_SET_AVAILABLE)
    return false;
  if (condition.reason === DEADLINE_EXCEEDED) return true;
  return (parseTime(condition.lastUpdateTime) ?? 0) + deadline * 1_000 < nowMs;
}

/**
 * E.g. last moved 3 minutes ago and a deadline of 10 minutes: in 7 minutes, and a second on top so as not to come too
 * early by a fraction.
 */
export function recheckAfterMs(
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const deadline = progressDeadlineSeconds(deployment);
  const condition = findCondition(deployment.status?.conditions, PROGRESSING);
  if (deadline === undefined || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === DEADLINE_EXCEEDED) return undefined;
  const leftMs = (parseTime(condition.lastUpdateTime) ?? 0) + deadline * 1_000 - nowMs;
  return Math.max(0, leftMs) + 1_000;
}

/** The conditions when the Deployment was paused or resumed since the last look; undefined when it was not. */
export function decidePausedConditions(
  deployment: Stored<Deployment>,
  nowMs: number,
): Conditions | undefined {
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  const conditions = deployment.status?.conditions ?? [];
  const condition = findCondition(conditions, PROGRESSING);
  // The condition goes on saying that the deadline was exceeded.
  if (condition?.reason === DEADLINE_EXCEEDED) return undefined;
  const paused = deployment.spec?.paused === true;
  const saysPaused = condition?.reason === PAUSED;
  if (paused === saysPaused) return undefined;
  const said = paused
    ? { reason: PAUSED, message: "Deployment is paused" }
    : { reason: RESUMED, message: "Deployment is resumed" };
  return withCondition(conditions, newCondition({ type: PROGRESSING, status: "Unknown", ...said }, nowMs));
}

/** The condition for a current ReplicaSet that is older than the condition; undefined when not needed. */
export function decideFoundCondition(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet>,
  nowMs: number,
): DeploymentCondition | undefined {
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  if (findCondition(deployment.status?.conditions, PROGRESSING) !== undefined) return undefined;
  const message = `Found new replica set ${JSON.stringify(current.metadata.name)}`;
  return newCondition({ type: PROGRESSING, status: "True", reason: FOUND_NEW_REPLICA_SET, message }, nowMs);
}

/** Why pods cannot be created or deleted, as the current ReplicaSet tells, or else any other. */
function replicaFailure(revisions: Revisions): DeploymentCondition | undefined {
  const { current } = revisions;
  for (const replicaSet of [...(current === undefined ? [] : [current]), ...allOf(revisions)]) {
    const failure = findCondition(replicaSet.status?.conditions, REPLICA_FAILURE);
    if (failure === undefined) continue;
    return {
      ...failure,
      ...(failure.lastTransitionTime !== undefined && { lastUpdateTime: failure.lastTransitionTime }),
    };
  }
  return undefined;
}
