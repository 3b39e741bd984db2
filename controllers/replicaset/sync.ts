import { combinedError, messageOf, throwAfter } from "../../pkg/api/errors.ts";
import { smallest } from "../../pkg/api/extremes.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { resources } from "../../pkg/api/resources.ts";
import { controllerOf, isControlledBy } from "../../pkg/api/owner-references.ts";
import { isPodActive, isPodTerminating } from "../../pkg/api/pod.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { claimObjects } from "../../pkg/reconcile/ownership.ts";
import { ownedAndOrphanedPods } from "../../pkg/reconcile/pod-index.ts";
import { shareTheLoop } from "../../pkg/reconcile/share-the-loop.ts";
import type { SyncResult } from "../../pkg/reconcile/worker.ts";
import { createPods, deletePods, writeStatus } from "./apply.ts";
import { CONTROLLER_UID_INDEX, type ReplicaContext } from "./context.ts";
import { deletionAgeRatios } from "./deletion-age.ts";
import { desiredReplicas, podSelector, type ReplicaOwner } from "./replica-owner.ts";
import { choosePodsToDelete, decideReplicas } from "./replicas.ts";
import { decideStatus } from "./status.ts";

/** One step of a ReplicaSet or ReplicationController: claim pods, create or delete some, then tell how many there are. */
export async function syncReplicas(
  key: string,
  context: ReplicaContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const owner = context.owners.getByKey(key);
  if (owner === undefined) {
    context.consistency?.clear(key);
    context.deletions.deleteName(key);
    return {};
  }
  const selector = readSelector(owner, log);
  if (selector === undefined) return {};
  const expectationsMet = context.expectations.satisfied(owner);
  const pods = ownedAndOrphanedPods(context.pods, owner, context.resource.kind);
  const active = await claimPods(context, owner, selector, pods.filter(isPodActive), log, signal);
  const terminating = context.countsTerminating
    ? pods.filter(
        (pod) => isPodTerminating(pod) && isControlledBy(pod, owner) && selector.matches(pod.metadata.labels),
      )
    : undefined;

  await shareTheLoop(active.length, context.clock);
  const errors = await reconcileReplicas(context, owner, active, expectationsMet, log, signal);
  const failure = errors.length === 0 ? undefined : messageOf(errors[0]);
  await shareTheLoop(active.length, context.clock);
  const plan = decideStatus({ owner, active, terminating, failure }, context.clock.nowMs());
  const { status } = plan;
  const report = async (): Promise<void> => {
    if (status !== undefined) await writeStatus(context, owner, status, log, signal);
  };
  if (errors.length > 0) return throwAfter(combinedError(errors), report);
  await report();
  // A pod that came and went between two lists is never seen: nothing but the time-out ends the wait for it.
  const rechecks = [plan.recheckAfterMs, context.expectations.untilSatisfiedMs(owner)];
  const requeueAfterMs = smallest(rechecks.filter((delayMs) => delayMs !== undefined));
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** Gives what went wrong: the status is written all the same, and names the first. */
async function reconcileReplicas(
  context: ReplicaContext,
  owner: ReplicaOwner,
  active: readonly Pod[],
  expectationsMet: boolean,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const plan = decideReplicas({
    desired: desiredReplicas(owner),
    active: active.length,
    expectationsMet,
    ownerIsLeaving: owner.metadata.deletionTimestamp !== undefined,
  });
  if (plan.action === "none") return [];
  log.verbose(2, plan.action === "create" ? "Too few replicas" : "Too many replicas", { ...plan });
  if (plan.action === "create") return createPods(context, owner, plan.count, signal);
  const nowMs = context.clock.nowMs();
  // Where all have to go, there is nothing to choose, and no need to look through the pods of a whole namespace.
  const related = plan.count < active.length ? relatedPods(context, owner) : [];
  const chosen = choosePodsToDelete(active, related, plan.count, {
    nowMs,
    deletionCost: context.features.enabled("PodDeletionCost"),
    logarithmicAges: context.features.enabled("LogarithmicScaleDown"),
  });
  if (chosen.length < active.length) {
    for (const ratio of deletionAgeRatios(active, chosen, nowMs)) context.deletionAges.observe(ratio);
  }
  return deletePods(context, owner, chosen, signal);
}

async function claimPods(
  context: ReplicaContext,
  owner: ReplicaOwner,
  selector: LabelSelector,
  pods: readonly Pod[],
  log: Logger,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  return claimObjects<Pod>(
    {
      owner,
      ownerResource: context.resource,
      ownerClient: context.client,
      resource: resources.pods,
      patch: async (pod, patch) => context.podControl.claim(pod, patch, signal),
      consistency: context.consistency,
      log,
    },
    pods,
    (pod) => selector.matches(pod.metadata.labels),
    signal,
  );
}

/** The pods of every owner with the same manager: of all ReplicaSets of one Deployment. Each pod once. */
function relatedPods(context: ReplicaContext, owner: ReplicaOwner): readonly Pod[] {
  const manager = controllerOf(owner);
  if (manager === undefined) return [];
  const related = new Map<string, Pod>();
  for (const sibling of context.owners.byIndex(CONTROLLER_UID_INDEX, manager.uid)) {
    for (const pod of selectedPods(context, sibling)) related.set(pod.metadata.uid ?? "", pod);
  }
  return [...related.values()];
}

function selectedPods(context: ReplicaContext, owner: ReplicaOwner): readonly Pod[] {
  try {
    return context.pods.inNamespace(owner.metadata.namespace ?? "", podSelector(owner));
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}

function readSelector(owner: ReplicaOwner, log: Logger): LabelSelector | undefined {
  try {
    return podSelector(owner);
  } catch (error) {
    // Trying again would not help: only a change of the object does, and that brings its key back.
    if (!(error instanceof SelectorError)) throw error;
    log.error(error, "The selector cannot be read");
    return undefined;
  }
}
