import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { currentAnnotations, nextRevision, REVISION } from "./annotations.ts";
import { createReplicaSet, recordRevision, updateReplicaSet } from "./apply.ts";
import { NEW_REPLICA_SET_CREATED, newCondition, PROGRESSING } from "./conditions.ts";
import type { DeploymentContext, Round } from "./context.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { decideFoundCondition } from "./progress.ts";
import { progressDeadlineSeconds } from "./strategy.ts";

/**
 * The round in which the Deployment's current ReplicaSet has the revision, annotations and minReadySeconds that it is to
 * have, and the Deployment the same revision. With "create", one that does not exist yet is made.
 */
export async function findOrCreateCurrent(
  context: DeploymentContext,
  round: Round,
  mode: "find" | "create",
  signal: AbortSignal,
): Promise<Round> {
  if (round.current !== undefined) return refreshCurrent(context, round, round.current, signal);
  return mode === "create" ? createCurrent(context, round, signal) : round;
}

async function refreshCurrent(
  context: DeploymentContext,
  round: Round,
  current: ReplicaSet,
  signal: AbortSignal,
): Promise<Round> {
  const { deployment, old } = round;
  const annotations = currentAnnotations(deployment, current.metadata.annotations, nextRevision(old));
  const seconds = deployment.spec?.minReadySeconds ?? 0;
  if (annotations !== current.metadata.annotations || (current.spec?.minReadySeconds ?? 0) !== seconds) {
    const wanted: ReplicaSet = {
      ...current,
      metadata: { ...current.metadata, ...(annotations && { annotations }) },
      ...(current.spec && { spec: { ...current.spec, minReadySeconds: seconds } }),
    };
    const updated = await updateReplicaSet(context, deployment, wanted, signal);
    // The Deployment gets the revision when this is called next: later in this sync, or in the one that the write causes.
    return { ...round, current: updated };
  }
  const revision = annotations?.[REVISION];
  const condition = decideFoundCondition(deployment, current, context.clock.nowMs());
  return { ...round, deployment: await recordRevision(context, deployment, revision, condition, signal) };
}

async function createCurrent(context: DeploymentContext, round: Round, signal: AbortSignal): Promise<Round> {
  const wanted = newReplicaSet(round.deployment, round.old);
  const { replicaSet, created } = await createReplicaSet(context, round.deployment, wanted, signal);
  const condition = created
    ? createdCondition(round.deployment, replicaSet, context.clock.nowMs())
    : undefined;
  const revision = wanted.metadata.annotations?.[REVISION];
  const deployment = await recordRevision(context, round.deployment, revision, condition, signal);
  return { ...round, deployment, current: replicaSet };
}

function createdCondition(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  nowMs: number,
): ReturnType<typeof newCondition> | undefined {
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  const message = `Created new replica set ${JSON.stringify(replicaSet.metadata.name)}`;
  return newCondition(PROGRESSING, "True", NEW_REPLICA_SET_CREATED, message, nowMs);
}
