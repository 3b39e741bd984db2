import { combinedError, messageOf, throwAfter } from "../../pkg/api/errors.ts";
import { smallest } from "../../pkg/api/extremes.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { controllerOf, isControlledBy } from "../../pkg/api/owner-references.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { deletionCost } from "../../pkg/api/pod-ranking.ts";
import { isPodActive, isPodTerminating } from "../../pkg/api/pod.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { turnFor } from "../../pkg/clock/turns.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { writeStatus } from "./apply.ts";
import { CONTROLLER_UID_INDEX, type ReplicaContext } from "./context.ts";
import { deletionAgeRatios } from "./deletion-age.ts";
import { desiredReplicas, podSelector, podTemplate, type ReplicaOwner } from "./replica-owner.ts";
import { type CachedPod, choosePodsToDelete, decideReplicas } from "./replicas.ts";
import { decideStatus } from "./status.ts";

type Sync = OwnerSync<ReplicaOwner>;

/** One step of a ReplicaSet or ReplicationController: claim pods, create or delete some, then tell how many there are. */
export async function syncReplicas(sync: Sync, context: ReplicaContext): Promise<SyncResult> {
  const { owner, log } = sync;
  const { owned, clock } = context;
  const selector = readSelector(owner, log);
  if (selector === undefined) return {};
  const isSettled = owned.settled(owner);
  const pods = owned.ownedByOrFree(owner);
  const matches = (pod: CachedPod): boolean => selector.matches(pod.metadata.labels);
  const active = await owned.claim(sync, pods.filter(isPodActive), matches);
  const terminating = context.countsTerminating
    ? pods.filter((pod) => isPodTerminating(pod) && isControlledBy(pod, owner) && matches(pod))
    : undefined;

  await turnFor(active.length, clock);
  const errors = await reconcileReplicas(sync, context, active, isSettled);
  const failure = errors.length === 0 ? undefined : messageOf(errors[0]);
  await turnFor(active.length, clock);
  const plan = decideStatus({ owner, active, terminating, failure }, clock.nowMs());
  const { status } = plan;
  const report = async (): Promise<void> => {
    if (status !== undefined) await writeStatus(sync, context, status);
  };
  if (errors.length > 0) return throwAfter(combinedError(errors), report);
  await report();
  // A pod that came and went between two lists is never seen: nothing but the time-out ends the wait for it.
  const rechecks = [plan.recheckAfterMs, owned.untilSettledMs(owner)];
  const requeueAfterMs = smallest(rechecks.filter((delayMs) => delayMs !== undefined));
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** Gives what went wrong: the status is written all the same, and names the first. */
async function reconcileReplicas(
  sync: Sync,
  context: ReplicaContext,
  active: readonly CachedPod[],
  expectationsMet: boolean,
): Promise<readonly unknown[]> {
  const { owner } = sync;
  const { owned, features, clock, deletionAges } = context;
  const plan = decideReplicas({
    desired: desiredReplicas(owner),
    active: active.length,
    expectationsMet,
    ownerIsLeaving: owner.metadata.deletionTimestamp !== undefined,
  });
  if (plan.action === "none") return [];
  sync.decided(plan.action === "create" ? "Too few replicas" : "Too many replicas", { ...plan });
  if (plan.action === "create") return owned.create(sync, podTemplate(owner), plan.count);
  const nowMs = clock.nowMs();
  // Where all have to go, there is nothing to choose, and no need to look through the pods of a whole namespace.
  const related = plan.count < active.length ? relatedPods(context, owner) : [];
  const chosen = choosePodsToDelete(active, related, plan.count, {
    nowMs,
    ...(features.enabled("PodDeletionCost") && { costOf: deletionCost }),
    logarithmicAges: features.enabled("LogarithmicScaleDown"),
  });
  if (chosen.length < active.length) {
    for (const ratio of deletionAgeRatios(active, chosen, nowMs)) deletionAges.observe(ratio);
  }
  return owned.remove(sync, chosen);
}

/** The pods of every owner with the same manager: of all ReplicaSets of one Deployment. Each pod once. */
function relatedPods(context: ReplicaContext, owner: Stored<ReplicaOwner>): readonly CachedPod[] {
  const manager = controllerOf(owner);
  if (manager === undefined) return [];
  const related = new Map<string, CachedPod>();
  for (const sibling of context.owners.lister.byIndex(CONTROLLER_UID_INDEX, manager.uid)) {
    for (const pod of selectedPods(context, sibling)) related.set(pod.metadata.uid, pod);
  }
  return [...related.values()];
}

function selectedPods(context: ReplicaContext, owner: Stored<ReplicaOwner>): readonly CachedPod[] {
  try {
    return context.pods.lister.inNamespace(owner.metadata.namespace, podSelector(owner));
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
