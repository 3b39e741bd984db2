import type { Deployment, DeploymentCondition, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { currentAnnotations, nextRevision, REVISION } from "./annotations.ts";
import { createReplicaSet, recordRevision } from "./apply.ts";
import { NEW_REPLICA_SET_CREATED, newCondition, PROGRESSING } from "./conditions.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { DeploymentContext } from "./context.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { decideFoundCondition } from "./progress.ts";
import type { Round } from "./replica-sets.ts";
import { progressDeadlineSeconds } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<Deployment>;

/**
 * The round in which the Deployment's current ReplicaSet has the revision, annotations and minReadySeconds that it is to
 * have, and the Deployment the same revision. With "create", one that does not exist yet is made.
 */
export async function findOrCreateCurrent(
  sync: Sync,
  context: DeploymentContext,
  round: Round,
  mode: "find" | "create",
): Promise<Round> {
  if (round.current !== undefined) return refreshCurrent(sync, context, round, round.current);
  return mode === "create" ? createCurrent(sync, context, round) : round;
}

async function refreshCurrent(
  sync: Sync,
  context: DeploymentContext,
  round: Round,
  current: Stored<ReplicaSet>,
): Promise<Round> {
  const { deployment, old } = round;
  const annotations = currentAnnotations(deployment, current.metadata.annotations, nextRevision(old));
  const seconds = deployment.spec?.minReadySeconds ?? 0;
  if (annotations !== current.metadata.annotations || (current.spec?.minReadySeconds ?? 0) !== seconds) {
    const updated = await context.owned.update(sync, {
      ...current,
      metadata: { ...current.metadata, ...(annotations && { annotations }) },
      ...(current.spec && { spec: { ...current.spec, minReadySeconds: seconds } }),
    });
    // The Deployment gets the revision when this is called next: later in this sync, or in the one that the write causes.
    return { ...round, current: updated };
  }
  const revision = annotations?.[REVISION];
  const condition = decideFoundCondition(deployment, current, context.clock.nowMs());
  return { ...round, deployment: await recordRevision(sync, context, deployment, { revision, condition }) };
}

async function createCurrent(sync: Sync, context: DeploymentContext, round: Round): Promise<Round> {
  const wanted = newReplicaSet(round.deployment, round.old);
  const revision = wanted.metadata.annotations?.[REVISION];
  sync.decided("Create the ReplicaSet of a new template", { name: wanted.metadata.name, revision });
  const { replicaSet, created } = await createReplicaSet(sync, context, round.deployment, wanted);
  const condition = created
    ? createdCondition(round.deployment, replicaSet, context.clock.nowMs())
    : undefined;
  const deployment = await recordRevision(sync, context, round.deployment, { revision, condition });
  return { ...round, deployment, current: replicaSet };
}

function createdCondition(
  deployment: Stored<Deployment>,
  replicaSet: Stored<ReplicaSet>,
  nowMs: number,
): DeploymentCondition | undefined {
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  const message = `Created new replica set ${JSON.stringify(replicaSet.metadata.name)}`;
  return newCondition({ type: PROGRESSING, status: "True", reason: NEW_REPLICA_SET_CREATED, message }, nowMs);
}
