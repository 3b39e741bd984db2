import { SelectorError, type LabelSelector } from "../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import { ownedBy } from "../../pkg/controller/controller-index.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { deleteReplicaSets, scaleReplicaSets, updateDeployment, writeStatus } from "./apply.ts";
import { findOrCreateCurrent } from "./sync-revision.ts";
import { decideCleanup } from "./cleanup.ts";
import type { DeploymentContext } from "./context.ts";
import { decidePausedConditions, decideProgress } from "./progress.ts";
import { decideOldRemoval, oldPodsRun, type CachedPod } from "./recreate.ts";
import { allOf, type Round, splitRevisions } from "./replica-sets.ts";
import { decideRollback, rollbackTarget } from "./rollback.ts";
import { decideRolling } from "./rolling.ts";
import { decideScaling, isScalingEvent, scaleStep } from "./scaling.ts";
import { computeStatus, isComplete, sameStatus } from "./status.ts";
import { desiredReplicas } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

class UnknownStrategyError extends Error {
  readonly code = "UnknownStrategy";
}

type Sync = OwnerSync<Deployment>;

/**
 * One step of a Deployment. Several rounds, each of which decides on what the server answered to the one before:
 * revision, then scale, then status.
 */
export async function syncDeployment(sync: Sync, context: DeploymentContext): Promise<SyncResult> {
  const { owner: deployment } = sync;
  const selector = readSelector(deployment);
  if (selector.empty) return refuseSelectingAll(sync, context);
  try {
    const owned = await context.owned.claim(sync, ({ metadata }) => selector.matches(metadata.labels));
    return await reconcile(sync, context, { deployment, ...splitRevisions(deployment, owned) });
  } catch (error) {
    // Nothing can be created in a namespace that is going away, and nothing need be.
    if (isNamespaceTerminating(error)) return {};
    throw error;
  }
}

async function reconcile(sync: Sync, context: DeploymentContext, start: Round): Promise<SyncResult> {
  if (start.deployment.metadata.deletionTimestamp !== undefined) {
    return syncCounts(sync, context, await findOrCreateCurrent(sync, context, start, "find"));
  }
  const round = await syncPausedCondition(sync, context, start);
  const target = rollbackTarget(round.deployment);
  if (round.deployment.spec?.paused === true) return scaleOnly(sync, context, round);
  if (target !== undefined) return rollBack(sync, context, round, target);

  const found = await findOrCreateCurrent(sync, context, round, "find");
  if (isScalingEvent(found.deployment, found)) return scaleOnly(sync, context, found);
  const strategy = found.deployment.spec?.strategy?.type;
  if (strategy === "RollingUpdate") return rollOut(sync, context, found);
  if (strategy === "Recreate") return recreate(sync, context, found);
  // A strategy of a newer server: guessing could end every pod.
  throw new UnknownStrategyError(`unexpected deployment strategy type: ${strategy ?? ""}`);
}

async function rollOut(sync: Sync, context: DeploymentContext, start: Round): Promise<SyncResult> {
  const round = await findOrCreateCurrent(sync, context, start, "create");
  const steps = decideRolling(round.deployment, round);
  if (steps.length > 0)
    return syncProgress(sync, context, await scaleReplicaSets(sync, context, round, steps));
  return finish(sync, context, round);
}

async function recreate(sync: Sync, context: DeploymentContext, start: Round): Promise<SyncResult> {
  const removal = decideOldRemoval(start);
  if (removal.length > 0) {
    return syncProgress(sync, context, await scaleReplicaSets(sync, context, start, removal));
  }
  if (oldPodsRun(start, podsByReplicaSet(context, start))) return syncProgress(sync, context, start);
  const round = await findOrCreateCurrent(sync, context, start, "create");
  const desired = desiredReplicas(round.deployment);
  const steps =
    round.current === undefined ? [] : [scaleStep(round.current, desired, "all old pods have ended")];
  return finish(sync, context, await scaleReplicaSets(sync, context, round, steps));
}

/** Once a rollout is complete, old revisions above the limit go. */
async function finish(sync: Sync, context: DeploymentContext, round: Round): Promise<SyncResult> {
  if (isComplete(round.deployment, round.deployment.status)) {
    await deleteReplicaSets(sync, context, decideCleanup(round.deployment, round.old));
  }
  return syncProgress(sync, context, round);
}

/** While paused, or after the user has scaled: sizes follow, and no rollout goes on. */
async function scaleOnly(sync: Sync, context: DeploymentContext, start: Round): Promise<SyncResult> {
  const found = await findOrCreateCurrent(sync, context, start, "find");
  const round = await scaleReplicaSets(sync, context, found, decideScaling(found.deployment, found));
  const { deployment } = round;
  if (deployment.spec?.paused === true && rollbackTarget(deployment) === undefined) {
    await deleteReplicaSets(sync, context, decideCleanup(deployment, round.old));
  }
  return syncCounts(sync, context, round);
}

async function rollBack(
  sync: Sync,
  context: DeploymentContext,
  start: Round,
  target: bigint,
): Promise<SyncResult> {
  const round = await findOrCreateCurrent(sync, context, start, "create");
  const plan = decideRollback(round.deployment, allOf(round), target);
  const { type, reason, message } = plan.event;
  sync.decided("Roll back, or say why not", { target: String(target), outcome: reason });
  await updateDeployment(sync, context, plan.deployment);
  context.events.event(round.deployment, type, reason, message);
  return {};
}

async function syncPausedCondition(sync: Sync, context: DeploymentContext, round: Round): Promise<Round> {
  const { deployment } = round;
  const conditions = decidePausedConditions(deployment, context.clock.nowMs());
  if (conditions === undefined) return round;
  const status = { ...deployment.status, conditions };
  return { ...round, deployment: await writeStatus(sync, context, deployment, status) };
}

async function syncProgress(sync: Sync, context: DeploymentContext, round: Round): Promise<SyncResult> {
  const { deployment } = round;
  const plan = decideProgress(deployment, round, context.countsTerminating, context.clock.nowMs());
  if (plan.status !== undefined) await writeStatus(sync, context, deployment, plan.status);
  return plan.recheckAfterMs === undefined ? {} : { requeueAfterMs: plan.recheckAfterMs };
}

async function syncCounts(sync: Sync, context: DeploymentContext, round: Round): Promise<SyncResult> {
  const { deployment } = round;
  const status = computeStatus(deployment, round, context.countsTerminating, context.clock.nowMs());
  if (!sameStatus(deployment.status, status)) await writeStatus(sync, context, deployment, status);
  return {};
}

/** A selector that selects all would claim what belongs to others: the user is told, and nothing else is done. */
async function refuseSelectingAll(sync: Sync, context: DeploymentContext): Promise<SyncResult> {
  const { owner: deployment } = sync;
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  context.events.event(deployment, "Warning", "SelectingAll", message);
  const observedGeneration = deployment.metadata.generation ?? 0;
  if ((deployment.status?.observedGeneration ?? 0) < observedGeneration) {
    await writeStatus(sync, context, deployment, { ...deployment.status, observedGeneration });
  }
  return {};
}

function podsByReplicaSet(
  { pods }: DeploymentContext,
  round: Round,
): ReadonlyMap<string, readonly CachedPod[]> {
  const entries = allOf(round).map((replicaSet) => {
    const ofOne = ownedBy(pods.lister, replicaSet, "ReplicaSet");
    return [replicaSet.metadata.uid, ofOne] as const;
  });
  return new Map(entries);
}

function readSelector(deployment: Stored<Deployment>): LabelSelector {
  try {
    return selectorFromSpec(deployment.spec?.selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { namespace, name } = deployment.metadata;
    throw new SelectorError(`deployment ${namespace}/${name} has invalid label selector: ${error.message}`, {
      cause: error,
    });
  }
}
