import { SelectorError, type LabelSelector } from "../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { claimObjects } from "../../pkg/controller/ownership.ts";
import { ownedPods } from "../../pkg/controller/pod-index.ts";
import { ownedAndOrphanedReplicaSets } from "../../pkg/controller/replica-set-index.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { deleteReplicaSets, scaleReplicaSets, updateDeployment, writeStatus } from "./apply.ts";
import { findOrCreateCurrent } from "./sync-revision.ts";
import { decideCleanup } from "./cleanup.ts";
import type { DeploymentContext, Round } from "./context.ts";
import { decidePausedConditions, decideProgress } from "./progress.ts";
import { decideOldRemoval, oldPodsRun } from "./recreate.ts";
import { allOf, splitRevisions } from "./replica-sets.ts";
import { decideRollback, rollbackTarget } from "./rollback.ts";
import { decideRolling } from "./rolling.ts";
import { decideScaling, isScalingEvent, scaleStep } from "./scaling.ts";
import { computeStatus, isComplete, sameStatus } from "./status.ts";
import { desiredReplicas } from "./strategy.ts";

class UnknownStrategyError extends Error {
  readonly code = "UnknownStrategy";
}

/**
 * One step of a Deployment. Several rounds, each of which decides on what the server answered to the one before:
 * revision, then scale, then status.
 */
export async function syncDeployment(
  key: string,
  context: DeploymentContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const deployment = context.deployments.getByKey(key);
  if (deployment === undefined) {
    context.consistency.deleteName(key);
    return {};
  }
  const selector = readSelector(deployment);
  if (selector.empty) return refuseSelectingAll(context, deployment, signal);
  try {
    const owned = await claimReplicaSets(context, deployment, selector, log, signal);
    const { current, old } = splitRevisions(deployment, owned);
    return await reconcile(context, { deployment, current, old }, signal);
  } catch (error) {
    // Nothing can be created in a namespace that is going away, and nothing need be.
    if (isNamespaceTerminating(error)) return {};
    throw error;
  }
}

async function reconcile(context: DeploymentContext, start: Round, signal: AbortSignal): Promise<SyncResult> {
  if (start.deployment.metadata.deletionTimestamp !== undefined) {
    return syncCounts(context, await findOrCreateCurrent(context, start, "find", signal), signal);
  }
  const round = await syncPausedCondition(context, start, signal);
  const target = rollbackTarget(round.deployment);
  if (round.deployment.spec?.paused === true) return scaleOnly(context, round, signal);
  if (target !== undefined) return rollBack(context, round, target, signal);

  const found = await findOrCreateCurrent(context, round, "find", signal);
  if (isScalingEvent(found.deployment, found)) return scaleOnly(context, found, signal);
  const strategy = found.deployment.spec?.strategy?.type;
  if (strategy === "RollingUpdate") return rollOut(context, found, signal);
  if (strategy === "Recreate") return recreate(context, found, signal);
  // A strategy of a newer server: guessing could end every pod.
  throw new UnknownStrategyError(`unexpected deployment strategy type: ${strategy ?? ""}`);
}

async function rollOut(context: DeploymentContext, start: Round, signal: AbortSignal): Promise<SyncResult> {
  const round = await findOrCreateCurrent(context, start, "create", signal);
  const steps = decideRolling(round.deployment, round);
  if (steps.length > 0)
    return syncProgress(context, await scaleReplicaSets(context, round, steps, signal), signal);
  return finish(context, round, signal);
}

async function recreate(context: DeploymentContext, start: Round, signal: AbortSignal): Promise<SyncResult> {
  const removal = decideOldRemoval(start);
  if (removal.length > 0) {
    return syncProgress(context, await scaleReplicaSets(context, start, removal, signal), signal);
  }
  if (oldPodsRun(start, podsByReplicaSet(context, start))) return syncProgress(context, start, signal);
  const round = await findOrCreateCurrent(context, start, "create", signal);
  const desired = desiredReplicas(round.deployment);
  const steps =
    round.current === undefined ? [] : [scaleStep(round.current, desired, "all old pods have ended")];
  return finish(context, await scaleReplicaSets(context, round, steps, signal), signal);
}

/** Once a rollout is complete, old revisions above the limit go. */
async function finish(context: DeploymentContext, round: Round, signal: AbortSignal): Promise<SyncResult> {
  if (isComplete(round.deployment, round.deployment.status)) {
    await deleteReplicaSets(context, decideCleanup(round.deployment, round.old), signal);
  }
  return syncProgress(context, round, signal);
}

/** While paused, or after the user has scaled: sizes follow, and no rollout goes on. */
async function scaleOnly(context: DeploymentContext, start: Round, signal: AbortSignal): Promise<SyncResult> {
  const found = await findOrCreateCurrent(context, start, "find", signal);
  const round = await scaleReplicaSets(context, found, decideScaling(found.deployment, found), signal);
  const { deployment } = round;
  if (deployment.spec?.paused === true && rollbackTarget(deployment) === undefined) {
    await deleteReplicaSets(context, decideCleanup(deployment, round.old), signal);
  }
  return syncCounts(context, round, signal);
}

async function rollBack(
  context: DeploymentContext,
  start: Round,
  target: bigint,
  signal: AbortSignal,
): Promise<SyncResult> {
  const round = await findOrCreateCurrent(context, start, "create", signal);
  const plan = decideRollback(round.deployment, allOf(round), target);
  await updateDeployment(context, plan.deployment, signal);
  const { type, reason, message } = plan.event;
  context.events.event(round.deployment, type, reason, message);
  return {};
}

async function syncPausedCondition(
  context: DeploymentContext,
  round: Round,
  signal: AbortSignal,
): Promise<Round> {
  const { deployment } = round;
  const conditions = decidePausedConditions(deployment, context.clock.nowMs());
  if (conditions === undefined) return round;
  const status = { ...deployment.status, conditions };
  return { ...round, deployment: await writeStatus(context, deployment, status, signal) };
}

async function syncProgress(
  context: DeploymentContext,
  round: Round,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { deployment } = round;
  const plan = decideProgress(deployment, round, context.countsTerminating, context.clock.nowMs());
  if (plan.status !== undefined) await writeStatus(context, deployment, plan.status, signal);
  return plan.recheckAfterMs === undefined ? {} : { requeueAfterMs: plan.recheckAfterMs };
}

async function syncCounts(
  context: DeploymentContext,
  round: Round,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { deployment } = round;
  const status = computeStatus(deployment, round, context.countsTerminating, context.clock.nowMs());
  if (!sameStatus(deployment.status, status)) await writeStatus(context, deployment, status, signal);
  return {};
}

/** A selector that selects all would claim what belongs to others: the user is told, and nothing else is done. */
async function refuseSelectingAll(
  context: DeploymentContext,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<SyncResult> {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  context.events.event(deployment, "Warning", "SelectingAll", message);
  const observedGeneration = deployment.metadata.generation ?? 0;
  if ((deployment.status?.observedGeneration ?? 0) < observedGeneration) {
    await writeStatus(context, deployment, { ...deployment.status, observedGeneration }, signal);
  }
  return {};
}

async function claimReplicaSets(
  context: DeploymentContext,
  deployment: Deployment,
  selector: LabelSelector,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly ReplicaSet[]> {
  const { namespace = "" } = deployment.metadata;
  return claimObjects<ReplicaSet>(
    {
      owner: deployment,
      ownerResource: resources.deployments,
      ownerClient: context.deploymentClient,
      resource: resources.replicaSets,
      patch: async ({ metadata }, patch) =>
        context.replicaSetClient.patch({ namespace, name: metadata.name ?? "" }, patch, {}, signal),
      consistency: context.consistency,
      log,
    },
    ownedAndOrphanedReplicaSets(context.replicaSets, deployment),
    (replicaSet) => selector.matches(replicaSet.metadata.labels),
    signal,
  );
}

function podsByReplicaSet(context: DeploymentContext, round: Round): ReadonlyMap<string, readonly Pod[]> {
  const entries = allOf(round).map((replicaSet) => {
    const pods = ownedPods(context.pods, replicaSet, "ReplicaSet");
    return [replicaSet.metadata.uid ?? "", pods] as const;
  });
  return new Map(entries);
}

function readSelector(deployment: Deployment): LabelSelector {
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
