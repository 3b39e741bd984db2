import { semanticEqual } from "../../pkg/api/equality.ts";
import type { Deployment, DeploymentStatus, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { AVAILABLE, newCondition, withCondition } from "./conditions.ts";
import { allOf, availableOf, type Revisions, sum, totalSize } from "./replica-sets.ts";
import { desiredReplicas, maxUnavailable } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

const AVAILABLE_ENOUGH = {
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
} as const;
const AVAILABLE_TOO_FEW = {
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
} as const;

/** The status without the condition Progressing, which progress.ts decides. */
export function computeStatus(
  deployment: Stored<Deployment>,
  revisions: Revisions,
  countsTerminating: boolean,
  nowMs: number,
): DeploymentStatus {
  const all = allOf(revisions);
  const available = sum(all, availableOf);
  const terminating = countsTerminating ? totalTerminating(all) : undefined;
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const enough = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  const said = enough ? AVAILABLE_ENOUGH : AVAILABLE_TOO_FEW;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero("replicas", sum(all, podsOf)),
    ...nonZero("updatedReplicas", revisions.current === undefined ? 0 : podsOf(revisions.current)),
    ...nonZero(
      "readyReplicas",
      sum(all, (replicaSet) => replicaSet.status?.readyReplicas ?? 0),
    ),
    ...nonZero("availableReplicas", available),
    // While scaling down more may be available than there are to be.
    ...nonZero("unavailableReplicas", Math.max(0, totalSize(all) - available)),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, newCondition({ type: AVAILABLE, ...said }, nowMs)),
  };
}

export function sameStatus(one: DeploymentStatus | undefined, other: DeploymentStatus): boolean {
  return semanticEqual(one, other, "apps.v1.DeploymentStatus");
}

/** Whether the current revision has all the pods, all of them are available, and this spec is what was looked at. */
export function isComplete(deployment: Stored<Deployment>, status: DeploymentStatus | undefined): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

export function podsOf(replicaSet: Stored<ReplicaSet>): number {
  return replicaSet.status?.replicas ?? 0;
}

/** Unknown as soon as one ReplicaSet that was synced says nothing of its terminating pods. */
function totalTerminating(replicaSets: readonly Stored<ReplicaSet>[]): number | undefined {
  let total = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

/** The server leaves counts of 0 out. */
function nonZero<K extends string>(key: K, count: number): { readonly [P in K]?: number } {
  return count === 0 ? {} : ({ [key]: count } as { readonly [P in K]: number });
}
