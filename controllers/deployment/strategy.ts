import { IntOrStringError, resolveFenceposts } from "../../pkg/api/int-or-string.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** In a field of seconds or counts, the largest int32 stands for "no limit". */
const NO_LIMIT = 2 ** 31 - 1;

export function desiredReplicas(deployment: Stored<Deployment>): number {
  return deployment.spec?.replicas ?? 1;
}

export function isRollingUpdate(deployment: Stored<Deployment>): boolean {
  return deployment.spec?.strategy?.type === "RollingUpdate";
}

/** Pods that there may be above the desired number while rolling. */
export function maxSurge(deployment: Stored<Deployment>): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** Pods of the desired number that may be unavailable while rolling. */
export function maxUnavailable(deployment: Stored<Deployment>): number {
  if (!isRollingUpdate(deployment)) return 0;
  return Math.min(fenceposts(deployment).unavailable, desiredReplicas(deployment));
}

/** Validation lets no other values through; should one be there all the same, nothing moves. */
function fenceposts(deployment: Stored<Deployment>): {
  readonly surge: number;
  readonly unavailable: number;
} {
  const { maxSurge: surge, maxUnavailable: unavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  try {
    return resolveFenceposts(surge, unavailable, desiredReplicas(deployment));
  } catch (error) {
    if (error instanceof IntOrStringError) return { surge: 0, unavailable: 0 };
    throw error;
  }
}

export function progressDeadlineSeconds(deployment: Stored<Deployment>): number | undefined {
  return limit(deployment.spec?.progressDeadlineSeconds);
}

export function revisionHistoryLimit(deployment: Stored<Deployment>): number | undefined {
  return limit(deployment.spec?.revisionHistoryLimit);
}

function limit(value: number | undefined): number | undefined {
  return value === NO_LIMIT ? undefined : value;
}
