import { isOnly, messageOf, throwAll } from "../../pkg/api/errors.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import type { StatefulSet, StatefulSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import { slowStartBatch, SLOW_START_INITIAL_BATCH } from "../../pkg/controller/slow-start.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { storageMatches, withStorage } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { identityMatches, placeOf, withIdentity } from "./identity.ts";
import type { PodStep, NewPodStep, OldPodStep } from "./replicas.ts";
import { createClaims, isUnseenClaim, reownClaims } from "./sync-claims.ts";
import type { CachedPod, PodOfSet } from "./fields.ts";
import type { Stored, StoredObject } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

type Sync = OwnerSync<StatefulSet>;

/** A pod that cannot be created or deleted does not hold up the others. When nothing succeeds, no more is tried. */
const BURSTS = { largest: 500, failures: 3 };
/** How often a write is tried while others come in between. Then the whole sync is repeated. */
const MOST_ATTEMPTS = 5;

/** Takes the steps in order, or in batches that grow while all goes well. Throws what failed. */
export async function takeSteps(
  sync: Sync,
  context: StatefulSetContext,
  steps: readonly PodStep[],
  order: "in turn" | "in bursts",
): Promise<void> {
  const take = async (index: number): Promise<void> => {
    const step = steps[index];
    if (step === undefined) return;
    const { action, pod, reason } = step;
    sync.decided("Step for a pod", { action, pod: pod.metadata.name, reason });
    await takeStep(sync, context, step);
  };
  if (order === "in turn") {
    for (const index of steps.keys()) await take(index);
    return;
  }
  const { errors } = await slowStartBatch(steps.length, SLOW_START_INITIAL_BATCH, take, BURSTS);
  sync.signal.throwIfAborted();
  throwAll(errors);
}

async function takeStep(sync: Sync, context: StatefulSetContext, step: PodStep): Promise<void> {
  switch (step.action) {
    case "create":
      return createPod(sync, context, step);
    case "delete":
      return deletePod(sync, context, step.pod);
    case "correct":
      return correctPod(sync, context, step);
    case "claims":
      return completeClaims(sync, context, step);
  }
}

/**
 * Creates missing claims, then the pod. Claims that exist get their owners after that: if the server refuses them, the
 * pod is created all the same. They get them even if the pod is refused, as they are deleted with the StatefulSet
 * anyway.
 */
async function createPod(
  sync: Sync,
  context: StatefulSetContext,
  { pod, claims }: NewPodStep,
): Promise<void> {
  const errors: unknown[] = [];
  try {
    await createClaims(sync, context, pod, claims);
  } catch (error) {
    if (!sync.signal.aborted && !isOnly(error, isUnseenClaim))
      tellFailure(sync, context, { verb: "Create", pod }, error);
    throw error;
  }
  try {
    await context.owned.createUnread(sync, pod);
    tellSuccess(sync, context, { verb: "Create", pod });
  } catch (error) {
    sync.signal.throwIfAborted();
    // The name is taken: by a pod that the cache has yet to show, or by one of another owner.
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) throw error;
    tellFailure(sync, context, { verb: "Create", pod }, error);
    errors.push(error);
  }
  try {
    await reownClaims(sync, context, pod, claims);
  } catch (error) {
    if (!sync.signal.aborted) tellFailure(sync, context, { verb: "Update", pod }, error);
    errors.push(error);
  }
  throwAll(errors);
}

async function completeClaims(
  sync: Sync,
  context: StatefulSetContext,
  { pod, claims }: OldPodStep,
): Promise<void> {
  await createClaims(sync, context, pod, claims);
  try {
    await reownClaims(sync, context, pod, claims);
  } catch (error) {
    if (!sync.signal.aborted) tellFailure(sync, context, { verb: "Update", pod }, error);
    throw error;
  }
}

/** Deletes the very pod that was looked at: another one may have its name by now. */
async function deletePod(sync: Sync, context: StatefulSetContext, pod: PodOfSet): Promise<void> {
  try {
    await context.owned.delete(sync, pod);
  } catch (error) {
    // Somebody else was faster: no success to be told of.
    if (isNotFound(error)) return;
    // After a conflict the pod may still exist, and only a retry brings this sync back to it.
    if (!sync.signal.aborted && !isConflict(error))
      tellFailure(sync, context, { verb: "Delete", pod }, error);
    throw error;
  }
  tellSuccess(sync, context, { verb: "Delete", pod });
}

/**
 * Corrects the labels and volumes of a pod. The cache has only a part of it, so the pod is read before it is written
 * back. If the StatefulSet no longer controls it by then, nothing is written, and the change wakes the StatefulSet.
 */
async function correctPod(
  sync: Sync,
  context: StatefulSetContext,
  { pod, claims }: OldPodStep,
): Promise<void> {
  const { owner: set } = sync;
  let live: StoredObject | undefined;
  try {
    await createClaims(sync, context, pod, claims);
    await reownClaims(sync, context, pod, claims);
    live = await retryConflicts(async () =>
      context.owned.change(sync, pod, (live) =>
        isControlledBy(live, set) ? correctedPod(set, live) : undefined,
      ),
    );
  } catch (error) {
    if (!sync.signal.aborted) tellFailure(sync, context, { verb: "Update", pod }, error);
    throw error;
  }
  if (live === undefined || !isControlledBy(live, set)) return;
  tellSuccess(sync, context, { verb: "Update", pod });
}

/** Undefined when nothing has to be corrected. */
function correctedPod(set: Stored<StatefulSet>, pod: Pod): Pod | undefined {
  const named = identityMatches(pod) ? pod : withIdentity(set, pod, placeOf(pod));
  const corrected = storageMatches(set, named) ? named : withStorage(set, named);
  return corrected === pod ? undefined : corrected;
}

/** Writes the status, on top of what the server has by then. */
export async function writeStatus(
  sync: Sync,
  { writes }: StatefulSetContext,
  status: StatefulSetStatus,
): Promise<void> {
  let latest = sync.owner;
  await retryConflicts(async () => {
    try {
      await writes.updateStatusUnread(sync, { ...latest, status });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const fresh = await writes.live(sync, sync.owner);
      // The StatefulSet is gone, and its status says nothing about another one of its name.
      if (fresh === undefined) return;
      latest = fresh;
      throw error;
    }
  });
}

async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** What was done to a pod, as events tell it. */
interface Deed {
  readonly verb: "Create" | "Update" | "Delete";
  readonly pod: CachedPod;
}

function tellSuccess({ owner: set }: Sync, { events }: StatefulSetContext, { verb, pod }: Deed): void {
  const message = `${verb} Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""} successful`;
  events.event(set, "Normal", `Successful${verb}`, message);
}

function tellFailure(
  { owner: set }: Sync,
  { events }: StatefulSetContext,
  { verb, pod }: Deed,
  error: unknown,
): void {
  // In a namespace that is going away every create fails, and so would the event.
  if (isNamespaceTerminating(error)) return;
  const subject = `${verb} Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
  events.event(set, "Warning", `Failed${verb}`, `${subject} failed error: ${messageOf(error)}`);
}
